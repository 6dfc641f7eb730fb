// SPDX-License-Identifier: GPL-2.0-or-later
#include "proto/profiles.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct profile *profile_find(const char *name)
{
	const struct profile *profile;

	for (profile = profiles; profile->name; profile++) {
		if (!strcmp(profile->name, name))
			return profile;
	}
	return NULL;
}

const char *profile_name_at(size_t i)
{
	return profiles[i].name;
}

const char *profile_names(void)
{
	static char names[256];
	const struct profile *profile;
	size_t used = 0;

	for (profile = profiles; profile->name && used < sizeof(names); profile++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
					 profile->name);
	return names;
}
