// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SHA-256 against FIPS 180-4's examples, HMAC against all of RFC 4231's that
 * are not truncated.
 */
#include <stdio.h>
#include <string.h>

#include "lib/sha256.h"

#include "check.h"

static void hex(const uint8_t *bytes, char *ret_text)
{
	int i;

	for (i = 0; i < SHA256_BYTES; i++)
		sprintf(ret_text + 2 * i, "%02x", bytes[i]);
}

static void digests_are_those_of_fips_180(void **state)
{
	static const struct {
		const char *text, *digest;
	} vectors[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	uint8_t digest[SHA256_BYTES];
	char text[2 * SHA256_BYTES + 1];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		sha256(vectors[i].text, strlen(vectors[i].text), digest);
		hex(digest, text);
		assert_string_equal(text, vectors[i].digest);
	}
}

static void macs_are_those_of_rfc_4231(void **state)
{
	static const struct {
		uint8_t key_byte;	/* repeated; 0: the key is "Jefe", 1: 01 02 .. 19 */
		size_t key_len;
		const char *data;	/* NULL: data_byte, 50 times */
		uint8_t data_byte;
		const char *mac;
	} vectors[] = {
		{ 0x0b, 20, "Hi There", 0,
		  "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
		{ 0, 4, "what do ya want for nothing?", 0,
		  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
		{ 0xaa, 20, NULL, 0xdd,
		  "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe" },
		{ 1, 25, NULL, 0xcd,
		  "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b" },
		{ 0xaa, 131, "Test Using Larger Than Block-Size Key - Hash Key First", 0,
		  "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" },
		{ 0xaa, 131, "This is a test using a larger than block-size key and a larger than "
		  "block-size data. The key needs to be hashed before being used by the HMAC "
		  "algorithm.", 0,
		  "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2" },
	};
	uint8_t key[131], data[50], mac[SHA256_BYTES];
	char text[2 * SHA256_BYTES + 1];
	size_t i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		memset(key, vectors[i].key_byte, sizeof(key));
		if (!vectors[i].key_byte)
			memcpy(key, "Jefe", 4);
		for (n = 0; vectors[i].key_byte == 1 && n < 25; n++)
			key[n] = (uint8_t)(n + 1);
		memset(data, vectors[i].data_byte, sizeof(data));
		sha256_hmac(key, vectors[i].key_len, vectors[i].data ? vectors[i].data : (char *)data,
			    vectors[i].data ? strlen(vectors[i].data) : sizeof(data), mac);
		hex(mac, text);
		assert_string_equal(text, vectors[i].mac);
	}
}

static void one_bit_makes_two_macs_differ(void **state)
{
	uint8_t a[SHA256_BYTES] = { 7 }, b[SHA256_BYTES] = { 7 };

	(void)state;
	assert_true(sha256_equal(a, b, SHA256_BYTES));
	b[SHA256_BYTES - 1] = 0x80;
	assert_false(sha256_equal(a, b, SHA256_BYTES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_are_those_of_fips_180),
		cmocka_unit_test(macs_are_those_of_rfc_4231),
		cmocka_unit_test(one_bit_makes_two_macs_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
