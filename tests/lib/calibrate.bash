# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set for, and by, the tests
# A quick calibration, kept in the test's own directory.

setup() {
	need_root
	need_command jq
	need xdp-live-frames af-xdp
	export STATE_DIRECTORY=$BATS_TEST_TMPDIR/state
	store=$STATE_DIRECTORY/calibration.json
}

# calibrated [OPTIONS]: a quick one, in $output.
calibrated() {
	run --separate-stderr timeout 300 "$TOOL" calibrate --quick --json "$@"
}
