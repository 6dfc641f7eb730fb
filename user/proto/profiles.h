/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/profiles.h - built-in traffic profiles: stream files, converted to C by scripts/gen-texts.
 */
#ifndef PROTO_PROFILES_H
#define PROTO_PROFILES_H

#include <stddef.h>

struct profile {
	const char *name;
	const char *text;		/* YAML, see proto/flow_file.h */
};

extern const struct profile profiles[];	/* name NULL ends */

const struct profile *profile_find(const char *name);

/* The name of profile @i; NULL after the last. */
const char *profile_name_at(size_t i);

/* "bulk, imix, ...", for errors and help. */
const char *profile_names(void);

#endif
