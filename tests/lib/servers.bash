# SPDX-License-Identifier: GPL-2.0-or-later
# A web server and an FTP server of the test's own, in node b of its lab, which is
# 198.18.0.2. Load it after lab.

NGINX=$(PATH=$PATH:/usr/sbin command -v nginx || :)

nginx_up() {
	[ -n "$NGINX" ] || cannot nginx "the program nginx" --test || return
	need_command openssl
	nginx_files "$BATS_TEST_TMPDIR"
	start_cmd nginx b "OS: " "$NGINX" -p "$BATS_TEST_TMPDIR" -c "$BATS_TEST_TMPDIR/nginx.conf"
}

# nginx_files DIR: files of three sizes in www, a certificate, and what nginx is to answer else. Also
# of tests/docs/world, which has no lab.
nginx_files() {
	local dir=$1

	mkdir "$dir/www"
	head -c 1024 /dev/urandom >"$dir/www/small"
	head -c 102400 /dev/urandom >"$dir/www/middle"
	head -c 10485760 /dev/zero >"$dir/www/large"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=198.18.0.2 \
		-addext subjectAltName=IP:198.18.0.2 -keyout "$dir/key.pem" -out "$dir/cert.pem" \
		2>/dev/null
	cat >"$dir/nginx.conf" <<-END
		daemon off;
		master_process off;
		user root;
		pid $dir/nginx.pid;
		error_log stderr notice;
		events { worker_connections 8000; }
		worker_rlimit_nofile 10000;
		http {
			log_format it '\$status \$body_bytes_sent \$bytes_sent \$request_length '
				'\$connection \$remote_addr \$request_method \$uri "\$http_cookie"';
			log_format given '\$server_port \$uri "\$http_authorization" "\$http_x_mine"';
			access_log $dir/access.log it;
			access_log $dir/given.log given;
			keepalive_requests 1000000;
			client_max_body_size 20m;
			client_body_temp_path $dir/body;
			proxy_temp_path $dir/proxy;
			fastcgi_temp_path $dir/fastcgi;
			uwsgi_temp_path $dir/uwsgi;
			scgi_temp_path $dir/scgi;
			server {
				listen 198.18.0.2:80 backlog=4096;
				listen 198.18.0.2:443 ssl http2;
				ssl_certificate $dir/cert.pem;
				ssl_certificate_key $dir/key.pem;
				root $dir/www;
				location = /moved { return 302 /small; }
				location = /round { return 302 /round; }
				location = /away { return 302 http://198.18.0.2:84/back; }
				location = /up { return 302 https://198.18.0.2/small; }
				location = /down { return 302 http://198.18.0.2/small; }
				location = /to-file { return 307 file://$dir/victim; }
				location = /to-gopher { return 302 gopher://198.18.0.2:81/x; }
				location = /to-dict { return 302 dict://198.18.0.2:81/x; }
				location = /to-telnet { return 302 telnet://198.18.0.2:81; }
				location = /broken { return 500; }
				location = /silent { return 444; }
				location = /cookie { add_header Set-Cookie id=\$connection; return 204; }
				location = /slow { limit_rate 1k; alias $dir/www/middle; }
				location = /second { limit_rate 512; alias $dir/www/small; }
				location = /put { dav_methods PUT; }
				location = /post { proxy_pass http://198.18.0.2:81; }
			}
			server { listen 198.18.0.2:81; access_log off; location / { return 204; } }
			server { listen 198.18.0.2:84; location = /back { return 302 http://198.18.0.2/small; } }
		}
	END
}

# counted_so: what the tool counted is what nginx wrote down.
counted_so() {
	local want

	# nginx writes the line when it is done with the request, which may be a little later.
	wait_for log_is_whole
	want=$(jq -Rs '[split("\n")[] | select(. != "") | split(" ")] | {
		load_requests: length,
		load_received_bytes: (map(.[1] | tonumber) | add // 0),
		load_received_header_bytes: (map((.[2] | tonumber) - (.[1] | tonumber)) | add // 0),
		load_connections: (map(.[4]) | unique | length),
		statuses: (group_by(.[0]) | map({ status: .[0][0], answers: length }))
		}' "$BATS_TEST_TMPDIR/access.log")
	json --argjson want "$want" '([.metrics | .load_requests, .load_received_bytes,
		.load_received_header_bytes, .load_connections] == [$want | .load_requests,
		.load_received_bytes, .load_received_header_bytes, .load_connections]) and
		(.entries // []) == $want.statuses' || fail "nginx: $want"
}

log_is_whole() {
	[ "$(wc -l <"$BATS_TEST_TMPDIR/access.log")" = "$(jq .metrics.load_requests <<<"$output")" ]
}

# ftp_up: user "u", password "p", files in the directory ftp.
ftp_up() {
	local dir=$BATS_TEST_TMPDIR

	need_module pyftpdlib || return
	mkdir -p "$dir/ftp"
	head -c 102400 /dev/urandom >"$dir/ftp/middle"
	start_cmd ftp b "starting FTP server" /usr/bin/python3 -m pyftpdlib -i 198.18.0.2 -p 21 -w \
		-d "$dir/ftp" -u u -P p
}
