// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http/transfer_result.c - libcurl's report of a finished transfer.
 */
#include <errno.h>

#include "http/transfer_parts.h"
#include "lib/loop.h"

#define NSEC_PER_USEC	1000u

static uint64_t info_ns(CURL *easy, CURLINFO which)
{
	curl_off_t us = 0;

	curl_easy_getinfo(easy, which, &us);
	return us > 0 ? (uint64_t)us * NSEC_PER_USEC : 0;
}

static uint64_t info_bytes(CURL *easy, CURLINFO which)
{
	long bytes = 0;

	curl_easy_getinfo(easy, which, &bytes);
	return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Whether the failure is this host's, not the path's or the far end's. */
static bool is_local(CURL *easy)
{
	long no = 0;

	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &no);
	return no == EADDRNOTAVAIL || no == EADDRINUSE || no == EMFILE || no == ENFILE ||
	       no == ENOBUFS || no == ENOMEM;
}

enum transfer_end transfer_status_end(unsigned int status)
{
	return status >= 500 ? TRANSFER_5XX : status >= 400 ? TRANSFER_4XX : TRANSFER_OK;
}

static enum transfer_end classify(CURLcode code, CURL *easy, const struct transfer_result *r)
{
	bool connected = info_ns(easy, CURLINFO_PRETRANSFER_TIME_T);

	switch (code) {
	case CURLE_OK:
		return transfer_status_end(r->status);
	case CURLE_COULDNT_RESOLVE_HOST:
		return TRANSFER_NO_NAME;
	case CURLE_COULDNT_CONNECT:
		return is_local(easy) ? TRANSFER_LOCAL : TRANSFER_NO_CONNECT;
	case CURLE_INTERFACE_FAILED:
	case CURLE_OUT_OF_MEMORY:
		return TRANSFER_LOCAL;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_USE_SSL_FAILED:
		return TRANSFER_NO_TLS;
	case CURLE_OPERATION_TIMEDOUT:
		if (!info_ns(easy, CURLINFO_NAMELOOKUP_TIME_T))
			return TRANSFER_NO_NAME;
		return connected ? TRANSFER_TIMEOUT : TRANSFER_CONNECT_TIMEOUT;
	case CURLE_PARTIAL_FILE:
		return TRANSFER_PARTIAL;
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return r->first_byte_ns ? TRANSFER_PARTIAL : TRANSFER_BROKEN;
	default:
		break;
	}
	/* FTP has a different error code for each command. */
	if (r->status >= 400 && r->status < 600)
		return r->status >= 500 ? TRANSFER_5XX : TRANSFER_4XX;
	return TRANSFER_OTHER;
}

uint32_t transfer_read_connect(struct transfer *t, uint64_t *ret_connect_ns, uint64_t *ret_tls_ns)
{
	uint64_t name_ns = info_ns(t->easy, CURLINFO_NAMELOOKUP_TIME_T);
	uint64_t connect_ns = info_ns(t->easy, CURLINFO_CONNECT_TIME_T);
	uint64_t tls_ns = info_ns(t->easy, CURLINFO_APPCONNECT_TIME_T);
	long number = 0;

	curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &number);
	/* libcurl counts attempts, and reports a time close to 0 for a reused connection. */
	if (number <= 0 || !connect_ns)
		return 0;
	*ret_connect_ns = connect_ns > name_ns ? connect_ns - name_ns : NSEC_PER_USEC;
	*ret_tls_ns = tls_ns > connect_ns ? tls_ns - connect_ns : 0;
	return (uint32_t)number;
}

void transfer_read_result(struct transfer *t, CURLcode code, struct transfer_result *r)
{
	curl_off_t sent = 0;
	long number = 0;

	*r = (struct transfer_result){
		.began_mono_ns = t->began_mono_ns,
		.ended_mono_ns = loop_mono_ns(),
		.first_byte_ns = t->first_mono_ns ? t->first_mono_ns - t->began_mono_ns : 0,
		.body_received_bytes = t->received_bytes,
		.header_received_bytes = info_bytes(t->easy, CURLINFO_HEADER_SIZE),
		.header_sent_bytes = info_bytes(t->easy, CURLINFO_REQUEST_SIZE) + t->lost_bytes,
		.why = code ? curl_easy_strerror(code) : NULL,
	};
	curl_easy_getinfo(t->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	r->body_sent_bytes = sent > 0 ? (uint64_t)sent : 0;
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &number);
	r->status = (unsigned int)number;
	r->connections = transfer_read_connect(t, &r->connect_ns, &r->tls_ns);
	if (t->ftp) {
		r->connect_ns = t->connect_ns;
		r->tls_ns = t->tls_ns;
	}
	if (!code)
		curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &r->redirect);
	curl_easy_getinfo(t->easy, CURLINFO_EFFECTIVE_URL, &r->url);
	r->end = classify(code, t->easy, r);
}
