#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# load held against what nginx and an FTP server wrote down of it.

load ../lib/common
load ../lib/lab
load ../lib/servers

WEB=http://198.18.0.2

setup() {
	need_root
	need_command jq
	lab_up
}

# loaded VERB-OPTIONS...: from a; the document is then in output.
loaded() {
	tool_in a load --interval 0 --json "$@"
	is "$(jq '.metrics | if .load_failed == .load_transactions then 1 else 0 end' <<<"$output")"
}

# failed KIND NUMBER: this number of that kind, and of no other.
failed() {
	json --arg key "load_failed_$1" --argjson n "$2" '.metrics.load_failed == $n and
		.metrics[$key] == $n'
}

# bats test_tags=core
@test "requests, bytes, statuses and connections are those of nginx's log" {
	nginx_up
	loaded $WEB/small $WEB/middle $WEB/none $WEB/broken --clients 7 --cycles 11
	counted_so
	json '.metrics | .load_transactions == 308 and .load_cycles == 77 and .load_failed == 154 and
		.load_failed_4xx == 77 and .load_failed_5xx == 77 and .load_clients_max == 7 and
		.load_sockets_max <= 7'
	json '.metrics | .load_total_min_ns >= .load_first_byte_min_ns'
	json '(.histograms.load_total_ns.buckets | map(.[1]) | add) == 308'
}

@test "kept connections are each client's own, and --fresh makes one for each request" {
	nginx_up
	loaded $WEB/small --clients 13 -c 1009 --threads 2
	counted_so
	json '.metrics | .load_connections == 13 and .load_reused == 996'
	: >"$BATS_TEST_TMPDIR/access.log"
	loaded $WEB/small --clients 13 -c 1009 --fresh
	counted_so
	json '.metrics | .load_connections == 1009 and .load_reused == 0'
	json '(.histograms.load_connect_ns.buckets | map(.[1]) | add) == 1009'
}

@test "a large file is counted to its last byte" {
	nginx_up
	loaded $WEB/large --clients 3 -c 7
	counted_so
	json '.metrics.load_received_bytes == 7 * 10485760'
}

@test "each client sends from its own address of --sources" {
	nginx_up
	ip_in a route add local 198.18.0.32/28 dev lo
	ip_in b route replace 198.18.0.32/28 via 198.18.0.1 dev eg0
	loaded $WEB/small --clients 14 --cycles 3 --sources 198.18.0.32/28
	counted_so
	[ "$(cut -d ' ' -f 6 "$BATS_TEST_TMPDIR/access.log" | sort | uniq -c | awk '{ print $1 }' |
		sort -u)" = 3 ]
	[ "$(cut -d ' ' -f 6 "$BATS_TEST_TMPDIR/access.log" | sort -u | wc -l)" = 14 ]
	tool_in a load $WEB/small --sources 203.0.113.9
	is 3
	says "cannot send from '203.0.113.9'"
}

@test "cookies are kept by client, and only with --cookies" {
	nginx_up
	loaded $WEB/cookie $WEB/small --clients 5 --cycles 3 --cookies
	counted_so
	# All requests but the first of each client have its own cookie, of its connection's number.
	[ "$(awk '$9 == "\"id=" $5 "\""' "$BATS_TEST_TMPDIR/access.log" | wc -l)" = 25 ]
	loaded $WEB/cookie $WEB/small --clients 5 --cycles 3
	[ "$(awk '$9 != "\"-\""' "$BATS_TEST_TMPDIR/access.log" | wc -l)" = 25 ]
}

@test "redirections are followed as far as --follow allows" {
	nginx_up
	loaded $WEB/moved $WEB/round --clients 2 --cycles 3 --follow 4
	counted_so
	failed redirects 6
	json '.metrics | .load_transactions == 12 and .load_redirects == 30 and .load_requests == 42'
	loaded $WEB/moved -c 5
	json '.metrics.load_failed == 0 and .entries == [{ status: "302", answers: 5 }]'
}

@test "a redirection leads to HTTP and FTP only, and from TLS to TLS only" {
	local scheme

	nginx_up
	echo mine >"$BATS_TEST_TMPDIR/victim"
	loaded $WEB/to-file -c 1 --follow 5 --upload "$BATS_TEST_TMPDIR/www/small"
	failed redirects 1
	json '.metrics.load_requests == 1 and (.notes | any(contains("1 redirection was not followed")))'
	[ "$(cat "$BATS_TEST_TMPDIR/victim")" = mine ]
	for scheme in file gopher dict telnet; do
		loaded $WEB/to-$scheme -c 1 --follow 5
		failed redirects 1
		json '.metrics | .load_connections == 1 and .load_requests == 1'
	done
	loaded https://198.18.0.2/down -c 1 --follow 5 --insecure
	failed redirects 1
	loaded $WEB/up -c 1 --follow 5 --insecure
	json '.metrics.load_failed == 0'
	loaded https://198.18.0.2/moved -c 1 --follow 5 --insecure
	json '.metrics.load_failed == 0'
	tool_in a load $WEB/moved --follow 51
	is 2
	says "--follow"
}

@test "headers and passwords stay with the scheme, host and port that they were given for" {
	nginx_up
	loaded $WEB/away -c 2 --follow 5 -H "Authorization: Bearer w0rd" -H "X-Mine: m1ne"
	json '.metrics | .load_failed == 0 and .load_requests == 6'
	[ "$(sort "$BATS_TEST_TMPDIR/given.log" | uniq -c | sed 's/^ *//')" = '2 80 /away "Bearer w0rd" "m1ne"
2 80 /small "Bearer w0rd" "m1ne"
2 84 /back "-" "-"' ] || fail "$(cat "$BATS_TEST_TMPDIR/given.log")"
	: >"$BATS_TEST_TMPDIR/given.log"
	loaded http://u:w0rd@198.18.0.2/away -c 1 --follow 5
	json '.metrics.load_failed == 0'
	[ "$(cat "$BATS_TEST_TMPDIR/given.log")" = '80 /away "Basic dTp3MHJk" "-"
84 /back "-" "-"
80 /small "-" "-"' ] || fail "$(cat "$BATS_TEST_TMPDIR/given.log")"
}

@test "passwords of the command line are in no output, file or list of processes" {
	local dir=$BATS_TEST_TMPDIR

	nginx_up
	start_cmd load a "loading" "$TOOL" load "http://us3r:w0rd@198.18.0.2/post?token=t0ken&n=1" -d 60s --pause 20ms \
		-H "Authorization: Bearer b3arer" --header="Cookie: c00kie=1" --data "a=1&password=f0rm" -v \
		-o "$dir/run.json" --log "$dir/log.csv"
	tr '\0' ' ' <"/proc/${PIDS[load]}/cmdline" >"$dir/title"
	wait_for grep -q "Bearer b3arer" "$dir/given.log"
	finish load INT
	is 130
	"$TOOL" report "$dir/run.json" -o "$dir/page.html" --md "$dir/page.md" --csv "$dir/page.csv"
	tool_in a load 'http://us3r:w0rd/x@198.18.0.2/' -H "Bearer b3arer" 'http://h/?token=t0ken'
	is 2
	printf '%s' "$stderr" >"$dir/wrong.err"
	tool_in a load http://198.18.0.2/ -H "Bearer b3arer"
	is 2
	printf '%s' "$stderr" >>"$dir/wrong.err"
	! grep -lE 'w0rd|t0ken|b3arer|c00kie|f0rm' "$dir"/{title,run.json,log.csv,load.out,load.err,wrong.err,page.*}
	[ "$(stat -c %a "$dir/run.json")" = 600 ]
	grep -qF "us3r:***@198.18.0.2/post?token=***&n=1" "$dir/title"
	grep -qF "us3r:***@198.18.0.2/post?token=***&n=1" "$dir/log.csv"
	jq -e '.command_line | contains("us3r:***@") and contains("Authorization: ***") and contains("Cookie: ***") and
		contains("a=1&password=***")' "$dir/run.json"
	tool_in a load 'us3r:w0rd@198.18.0.2/'
	is 2
	[[ $stderr != *w0rd* && $stderr == *"write http://198.18.0.2/"* ]] || fail "$stderr"
	tool_in a load "$WEB/small?a=\"1,2\"" -c 1 --log "$dir/log.csv"
	[ "$(/usr/bin/python3 -c 'import csv, sys; print(list(csv.reader(sys.stdin))[1][15])' <"$dir/log.csv")" = \
		"$WEB/small?a=\"1,2\"" ]
	"$TOOL" calc 10G --rtt 25ms -q -o "$dir/calc.json" >/dev/null
	[ "$(stat -c %a "$dir/calc.json")" = 644 ]
}

@test "bodies go up by POST and PUT, and a redirected POST becomes a GET" {
	nginx_up
	loaded $WEB/put -c 1 --upload "$BATS_TEST_TMPDIR/www/middle"
	json '.metrics.load_sent_bytes == 102400 and .entries[0].status == "201"'
	cmp "$BATS_TEST_TMPDIR/www/put" "$BATS_TEST_TMPDIR/www/middle"
	loaded $WEB/put -c 3 --upload 5M
	json '.metrics.load_sent_bytes == 15000000'
	[ "$(stat -c %s "$BATS_TEST_TMPDIR/www/put")" = 5000000 ]
	loaded $WEB/post -c 3 --data @"$BATS_TEST_TMPDIR/www/small"
	json '.metrics.load_sent_bytes == 3072 and .metrics.load_failed == 0'
	loaded $WEB/moved -c 1 --data x --follow 1
	[ "$(tail -n 2 "$BATS_TEST_TMPDIR/access.log" | cut -d ' ' -f 7,8 | paste -sd ' ')" = \
		"POST /moved GET /small" ]
}

@test "TLS's handshake is timed, HTTP/2 agreed on, and a wrong certificate refused" {
	nginx_up
	loaded https://198.18.0.2/small --clients 3 -c 17 --cacert "$BATS_TEST_TMPDIR/cert.pem"
	counted_so
	json '(.histograms.load_tls_ns.buckets | map(.[1]) | add) == 3'
	loaded https://198.18.0.2/small --clients 3 -c 17 --insecure --http 2 --fresh
	json '.metrics | .load_failed == 0 and .load_connections == 17'
	loaded https://198.18.0.2/small -c 3
	failed tls 3
}

@test "each kind of failure is counted as that kind" {
	nginx_up
	start_cmd half b ready /usr/bin/python3 -c '
import socket, sys
s = socket.create_server(("198.18.0.2", 82))
print("ready", file=sys.stderr, flush=True)
while True:
    c = s.accept()[0]
    c.recv(9999)
    c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    c.close()'
	loaded $WEB/slow --clients 3 -c 3 --timeout 700ms
	failed timeout 3
	is 1
	json '.verdicts == [{ "pass": false, "what": "none of 3 transactions succeeded" }]'
	loaded $WEB/slow --clients 3 -c 3 --timeout 700ms --no-failures
	is 1
	json '.verdicts == [{ "pass": false, "what": "3 of 3 transactions failed" }]'
	loaded http://198.18.0.99/ --clients 3 -c 7 --connect-timeout 200ms
	failed connect_timeout 7
	json '.metrics.load_sockets_max == 3'
	loaded http://198.18.0.2:83/ --clients 2 -c 3
	failed connect 3
	loaded $WEB/silent -c 3
	failed broken 3
	loaded http://name.invalid/ -c 1 --connect-timeout 5s
	failed resolve 1
	loaded http://198.18.0.2:82/ -c 3
	failed partial 3
	in_a sysctl -qw net.ipv4.ip_local_port_range="40000 40009"
	loaded $WEB/small --clients 17 -c 17
	failed local 7
	json '.notes | any(contains("for lack of ports"))'
	tool_in a load http://198.18.0.2:83/ -c 1 --no-failures
	is 1
}

@test "a server whose trailers never end is cut off, and fills no memory" {
	start_cmd endless b ready /usr/bin/python3 -c '
import socket, sys
s = socket.create_server(("198.18.0.2", 85))
print("ready", file=sys.stderr, flush=True)
while True:
    c = s.accept()[0]
    c.recv(9999)
    try:
        c.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n")
        while True:
            c.sendall((b"X-More: " + b"x" * 1000 + b"\r\n") * 100)
    except OSError:
        pass'
	loaded http://198.18.0.2:85/ -c 2 --timeout 20s
	failed other 2
	json '.metrics.load_received_header_bytes < 2 * 400000'
	json '.metrics.elapsed_ns < 5e9'
}

# Cookies are libcurl's work, so with --cookies libcurl makes every request.
@test "requests without libcurl give the figures that libcurl gives" {
	local log=$BATS_TEST_TMPDIR/log url=http://198.18.0.2:87 path figures own kept
	start_cmd peer b ready "$BATS_TEST_DIRNAME/load_peer.py" "$log"
	figures='[.metrics | to_entries[] | select(.key | test("^load_") and (test("_ns$|_per_s$|_bps$|_max$") | not))] + .entries'
	for path in length empty chunked trailers end close old old-kept none same hints missing broken lines \
		split split-chunks long-line short cut-chunk cut-head garbage bad-length bad-chunk see see-self moves quits closes stops; do
		loaded "$url/$path" --clients 2 --cycles 5 --follow 2 --timeout 1s
		own=$(jq -c "$figures" <<<"$output")
		kept=$(jq .self.plain_requests <<<"$output")
		loaded "$url/$path" --clients 2 --cycles 5 --follow 2 --timeout 1s --cookies
		[ "$own" = "$(jq -c "$figures" <<<"$output")" ] || fail "$path: $own"$'\n'"$output"
		json '.self.plain_requests == 0'
		case $path in
		end | close | old | short | cut-* | garbage | bad-* | see | see-self) [ "$kept" = 0 ] ;;
		moves | quits | closes) [ "$kept" = 6 ] ;;
		stops) [ "$kept" = 4 ] ;;
		*) [ "$kept" = 8 ] ;;
		esac || fail "$path: $kept without libcurl"
	done
	# 64 URLs are kept: the 65th is libcurl's, again and again.
	loaded "$url/length?{client}" --clients 65 --cycles 3
	json '.self.plain_requests == 64 * 2 and .metrics.load_reused == 65 * 2'
	loaded "$url/length?{cycle}" --cycles 70
	json '.self.plain_requests == 0'
}

@test "with --rate a transaction's time counts from when it was due" {
	nginx_up
	# One client, and an answer takes a second: the second one is due at 0.1 s and ends at 2 s.
	loaded $WEB/second -c 2 --rate 10/s
	json '.metrics | .load_failed == 0 and .load_total_max_ns >= 1.7e9 and
		.load_total_max_ns - .load_total_min_ns >= 0.7e9'
	: >"$BATS_TEST_TMPDIR/access.log"
	loaded $WEB/small -c 101 --clients 5 --rate 200/s
	counted_so
	json '.metrics | .elapsed_ns >= 500e6 and .load_offered_per_s == 200 and .load_behind == 0'
	loaded $WEB/slow -d 1s --rate 10/s
	is 1
	json '.metrics.load_behind == 9 and .metrics.load_cut == 1 and .self.irregular and
		(.notes[0] | contains("no free client"))'
}

@test "clients begin by steps, and pause between their URLs" {
	nginx_up
	loaded $WEB/small --clients 6 --ramp 2/300ms --cycles 2 --cycle-pause 100ms-200ms \
		--log "$BATS_TEST_TMPDIR/log.csv"
	counted_so
	# The first requests in pairs, 0.3 s apart; none before its time; the second of each later.
	awk -F , 'NR > 1 && $3 == 0 { due = int($2 / 2) * 3e8; if ($1 < due) bad = 1; ended[$2] = $1 + $15 }
		NR > 1 && $3 == 1 { n++; if ($1 < ended[$2] + 1e8) bad = 1 }
		END { exit bad || n != 6 || NR != 13 }' "$BATS_TEST_TMPDIR/log.csv"
	json '.metrics.elapsed_ns >= 700e6'
}

@test "FTP brings and sends files whole" {
	ftp_up
	loaded ftp://u:p@198.18.0.2/middle --clients 3 -c 7
	json '.metrics | .load_failed == 0 and .load_received_bytes == 716800'
	json '.entries == [{ status: "226", answers: 7 }]'
	loaded 'ftp://u:p@198.18.0.2/up-{client}' --clients 3 --cycles 1 --upload "$BATS_TEST_TMPDIR/ftp/middle"
	json '.metrics | .load_failed == 0 and .load_sent_bytes == 307200'
	cmp "$BATS_TEST_TMPDIR/ftp/up-2" "$BATS_TEST_TMPDIR/ftp/middle"
	# Of the control connection alone, and once: libcurl adds what the data connection took.
	loaded ftp://u:p@198.18.0.2/middle -c 5 --log "$BATS_TEST_TMPDIR/log"
	json '(.histograms.load_connect_ns.buckets | map(.[1]) | add) == 1 and .metrics.load_connections == 6'
	awk -F, 'NR > 1 && $12 > 0 && $12 < $15 { n++ } END { exit n != 1 }' "$BATS_TEST_TMPDIR/log"
	# A file that is truncated during the run fails the transfer, not the tool.
	head -c 3000000 /dev/zero >"$BATS_TEST_TMPDIR/shrinks"
	start_cmd load a "loading" "$TOOL" load ftp://u:p@198.18.0.2/up -c 1 --upload "$BATS_TEST_TMPDIR/shrinks" \
		--client-rate 8M --json
	wait_for test -s "$BATS_TEST_TMPDIR/ftp/up"
	truncate -s 1000 "$BATS_TEST_TMPDIR/shrinks"
	finish load
	is 1
	failed other 1
	loaded ftp://u:p@198.18.0.2/none ftp://u:x@198.18.0.2/middle --cycles 1
	failed 5xx 2
}

@test "^C shows what there was until then, and ends with 130" {
	nginx_up
	start_cmd load a "loading" "$TOOL" load $WEB/small --clients 3 --ramp 1/100ms -d 60s --json
	wait_for test -s "$BATS_TEST_TMPDIR/access.log"
	finish load INT
	is 130
	json '.metrics.load_transactions > 0 and .metrics.elapsed_ns < 50e9'
}

# limited WORDS...: as nobody, with 200 open files.
limited() {
	ulimit -n 200
	unprivileged "$TOOL" load "$@"
}

@test "too many clients for the limit of open files are refused before the start" {
	run --separate-stderr limited $WEB/small --clients 500
	is 3
	says "but the limit is 200"
	says "ulimit -Hn"
}
