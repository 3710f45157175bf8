#!/bin/sh
# A throwaway Postgres for one run of the tests: postgres_server.sh FOLDER BINARIES PORT PID
#
# Makes a cluster in FOLDER (which is empty), starts it on 127.0.0.1:PORT and writes FOLDER/ready, or FOLDER/failed.
# Stops it and removes FOLDER once process PID is gone, however that ended. Postgres refuses to run as root: then
# everything here is done as the user `postgres`.
folder="$1"
binaries="$2"
port="$3"
pid="$4"
log="$folder/log"
# A signal to whole groups of processes, or a terminal that closes, isn't the end: the server would be left behind.
trap : HUP INT TERM

user() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"
  else
    "$@"
  fi
}

if [ "$(id -u)" -eq 0 ]; then chown postgres "$folder"; fi
cd "$folder" || exit 1
settings() {
  cat <<END
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = ''
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 200
log_min_messages = fatal
END
}

if user "$binaries/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >"$log" 2>&1 &&
  settings >>"$folder/data/postgresql.conf" &&
  user "$binaries/pg_ctl" -D "$folder/data" -w -l "$folder/server.log" start >/dev/null 2>&1
then
  echo "$port" >"$folder/port" && mv "$folder/port" "$folder/ready"
else
  echo failed >"$folder/failed"
fi
while kill -0 "$pid" 2>/dev/null; do sleep 1; done
user "$binaries/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1
rm -rf "$folder"
