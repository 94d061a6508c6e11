#!/bin/bash
# What boot_test.py runs inside the system that it booted, as root: installs the packages there and uses
# the service as its owner would.  Prints TAP.
#
# /srv/new has the packages, /srv/newer the same with a higher version.
set -u
cd /srv
export HOME=/root THOLE_DATA=/var/lib/thole NO_COLOR=1 LC_ALL=C.UTF-8
number=0

# check NAME COMMAND...: shows the output of a failed command.
check() {
	local name=$1 said
	shift
	number=$((number + 1))
	if said=$("$@" 2>&1); then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' <<<"$said"
		systemctl status thole.socket thole.service --no-pager -n 20 2>&1 | sed 's/^/# /'
	fi
}

# wait_for COMMAND...: waits for it to be true.
wait_for() {
	local deadline=$((SECONDS + 120))
	until "$@" >/dev/null 2>&1; do
		if [ $SECONDS -ge $deadline ]; then
			echo "did not come about: $*"
			return 1
		fi
		sleep 0.2
	done
}

is() {
	[ "$1" = "$2" ] || { echo "\"$1\" is not \"$2\""; return 1; }
}

main_pid() {
	systemctl show -P MainPID thole.service
}

is_another() {
	[ "$(main_pid)" != 0 ] && [ "$(main_pid)" != "$1" ]
}

no_process_is_left() {
	! pgrep -u thole -a
}

events() {
	thole log @last --type "$1" --json
}

is_completed() {
	events turn.completed | grep -q .
}

# ---- what is checked ----

installing_starts_nothing() {
	dpkg -i /srv/new/*.deb || return
	getent passwd thole || return
	is "$(systemctl is-active thole.socket thole.service | tr '\n' ' ')" "inactive inactive " &&
		is "$(systemctl is-enabled thole.socket thole.service | tr '\n' ' ')" "disabled disabled "
}

settings_and_a_key() {
	mkdir -p /etc/credstore /srv/desk
	chown thole: /srv/desk
	echo key-of-the-credstore >/etc/credstore/anthropic
	chmod 600 /etc/credstore/anthropic
	cat >/etc/thole/script.json <<-'S'
	{
	  "version": 1,
	  "rules": [
	    { "when": { "text": { "equals": "look" } }, "replies": [
	      { "toolCalls": [{ "name": "shell", "args": { "command": "echo uid $(id -u); touch inside && echo written; ls /proc/self/status; ls -a /var/lib/thole" } }] },
	      { "text": "{{toolResult}}" } ] },
	    { "when": { "text": { "equals": "many" } }, "replies": [
	      { "toolCalls": [{ "name": "shell", "args": { "command": "perl -e 'for (1..400) { my $p = fork; last unless defined $p; unless ($p) { sleep 60; exit } push @p, $p } kill 9, @p; wait for @p; print scalar @p'" } }] },
	      { "text": "{{toolResult}}" } ] },
	    { "when": { "text": { "equals": "wait" } }, "replies": [
	      { "toolCalls": [{ "name": "shell", "args": { "command": "touch running; sleep 3000 & sleep 3000" } }] },
	      { "text": "{{toolResult}}" } ] } ],
	  "default": { "text": "You wrote: {{input}}" }
	}
	S
	cat >/etc/thole/config.json <<-'S'
	// changed by the administrator
	{
	  "script": "/etc/thole/script.json",
	  "providers": { "anthropic": { "baseUrl": "http://127.0.0.1:8099", "models": [{ "model": "m1" }] } },
	}
	S
}

starting_waits_for_readiness() {
	systemctl start thole.service || return
	is "$(systemctl show -P ActiveState thole.service)" active || return
	# Ready means that it answers, now.
	thole ps --no-start || return
	is "$(stat -c %U "/proc/$(main_pid)")" thole
}

a_turn_over_each_socket() {
	thole run --no-start -m scripted/demo "hello there" | grep -q "You wrote: hello there" || return
	curl -fsN -H "Authorization: Bearer $(cat /var/lib/thole/token)" http://127.0.0.1:7433/v1/run --json '{"input":"over tcp","model":"scripted/demo"}' |
		grep "turn.completed"
}

# One request, whose head is kept; the server closes the connection.
listen_once() {
	perl -MIO::Socket::INET -e '
		my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:8099", Listen => 1, ReuseAddr => 1) or die;
		open my $ready, ">", "/srv/listens"; close $ready;
		my $c = $s->accept; open my $f, ">", "/srv/head";
		while (<$c>) { last if /^\r?$/; print $f $_ } close $f;
		print $c "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"' &
}

a_credential_reaches_the_provider() {
	listen_once
	wait_for test -e /srv/listens || return
	thole run --no-start -m anthropic/m1 hello </dev/null
	cat /srv/head
	grep -qi '^x-api-key: key-of-the-credstore' /srv/head || return
	# And no other process has it: it is not in the environment of the daemon.
	! tr '\0' '\n' <"/proc/$(main_pid)/environ" | grep key-of
}

a_sandbox_under_the_unit() {
	cd "$1"
	thole run --no-start -m scripted/demo look </dev/null
	thole approve "$(thole approvals -q)" || return
	wait_for is_completed || return
	events sandbox.applied
	events sandbox.applied | grep -q '"tier":"namespaces+landlock+seccomp"' || return
	local said
	said=$(events tool.result)
	echo "$said"
	grep -q written <<<"$said" && grep -q '\\n/proc/self/status' <<<"$said" && ! grep -q log.db <<<"$said" && is "$(stat -c %U inside)" thole
}

doctor_has_no_complaint() {
	thole doctor --no-start || return
	cd / && runuser -u thole -- thole doctor --no-start || return
	runuser -u thole -- thole doctor --no-start | grep "tier namespaces+landlock+seccomp, the strongest"
}

# The daemon's supervisor finds the group that the unit delegates.
memory_is_kept_by_the_group() {
	local group=/sys/fs/cgroup/system.slice/thole.service
	find $group -name memory.max -exec grep -H . {} +
	find $group -name memory.max -exec grep -l '^[0-9]' {} + | grep .
}

# The kernel refuses the process above the limit, and the event says so.
too_many_processes_are_reported() {
	cd /srv/desk
	thole run --no-start --mode default -m scripted/demo many </dev/null
	thole approve "$(thole approvals -q)" || return
	wait_for is_completed || return
	events process.completed,process.failed | tail -n 1
	events process.completed,process.failed | tail -n 1 | grep -q '"limitsReached":\["maxProcesses"'
}

a_command_runs() {
	cd /srv/desk
	thole run --no-start --mode default -m scripted/demo wait </dev/null
	thole approve "$(thole approvals -q)" && wait_for test -e /srv/desk/running
}

stopping_leaves_no_process() {
	systemctl stop thole.service thole.socket || return
	systemctl show -p Result -p ExecMainStatus thole.service
	is "$(systemctl show -P Result thole.service)" success && is "$(systemctl show -P ExecMainStatus thole.service)" 0 && no_process_is_left
}

the_first_connection_starts_it() {
	systemctl enable --now thole.socket || return
	is "$(systemctl is-active thole.service)" inactive || return
	curl -fsS -H "Authorization: Bearer $(cat /var/lib/thole/token)" http://127.0.0.1:7433/v1/sessions >/dev/null || return
	is "$(systemctl is-active thole.service)" active || return
	# The interrupted process is reported once, in the log that existed before.
	thole verify
}

a_daemon_that_hangs_is_restarted() {
	mkdir -p /run/systemd/system/thole.service.d
	printf '[Service]\nWatchdogSec=10\n' >/run/systemd/system/thole.service.d/soon.conf
	systemctl daemon-reload && systemctl restart thole.service || return
	local before
	before=$(main_pid)
	# Signs of life come: it is there after more than the time.
	sleep 15
	is "$(main_pid)" "$before" || return
	kill -STOP "$before"
	# A client that asks meanwhile learns why nothing answers; the next daemon answers.
	timeout 100 thole ps --no-start 2>&1 | grep "stopped by a signal" || return
	wait_for is_another "$before" || return
	wait_for thole ps --no-start || return
	systemctl show -p NRestarts -p Result thole.service
	is "$(systemctl show -P NRestarts thole.service)" 1 &&
		is "$(systemctl is-active thole.service)" active &&
		journalctl -u thole.service --no-pager | grep -i watchdog
}

bad_settings_do_not_loop() {
	cp /etc/thole/config.json /srv/good.json
	printf '{\n  "scirpt": 1\n}\n' >/etc/thole/config.json
	! systemctl restart thole.service || return
	journalctl -u thole.service --no-pager -n 12
	local state
	state=$(systemctl show -P ExecMainStatus thole.service)
	cp /srv/good.json /etc/thole/config.json
	is "$state" 3 || return
	journalctl -u thole.service --no-pager -n 12 | grep -q 'config.json:2' || return
	systemctl reset-failed thole.service thole.socket
	systemctl start thole.socket thole.service
}

an_upgrade_keeps_pending_approvals() {
	cd /srv/desk
	thole run --no-start -m scripted/demo look </dev/null
	local pending before
	pending=$(thole approvals -q)
	before=$(main_pid)
	dpkg -i /srv/newer/*.deb </dev/null || return
	[ "$(main_pid)" != "$before" ] || { echo "the old one still runs"; return 1; }
	grep -q "changed by the administrator" /etc/thole/config.json || return
	is "$(thole approvals --no-start -q)" "$pending" && thole approve "$pending" && wait_for is_completed
}

removing_stops_it_and_keeps_the_log() {
	dpkg -r thole || return
	no_process_is_left || return
	is "$(systemctl is-active thole.socket thole.service | tr '\n' ' ')" "inactive inactive " || return
	[ -f /var/lib/thole/log.db ] && [ -f /etc/thole/config.json ]
}

purging_removes_settings_and_keeps_the_log() {
	rm -f /etc/thole/script.json
	dpkg -P thole libthole0 || return
	[ -f /var/lib/thole/log.db ] && [ ! -e /etc/thole ] && [ ! -e /etc/apparmor.d/thole-supervisor ] && [ ! -e /usr/lib/systemd/system/thole.service ] &&
		[ ! -L /etc/systemd/system/sockets.target.wants/thole.socket ]
}

# ---- AppArmor 4 ----

the_profile_is_loaded() {
	grep '^thole-supervisor (unconfined)$' /sys/kernel/security/apparmor/profiles
}

# A user who may not create user namespaces, by a profile that allows all else; the sandbox of our program works.
a_restricted_user_has_the_sandbox() {
	cat >/etc/apparmor.d/no-namespaces <<-'S'
	abi <abi/4.0>,
	include <tunables/global>
	profile no-namespaces flags=(attach_disconnected) {
	  allow file, allow capability, allow network, allow unix, allow signal, allow ptrace, allow mount, allow umount, allow pivot_root,
	  /usr/libexec/thole-supervisor px,
	}
	S
	apparmor_parser -r /etc/apparmor.d/no-namespaces || return
	id ordinary >/dev/null 2>&1 || useradd --create-home ordinary
	if runuser -u ordinary -- aa-exec -p no-namespaces -- unshare --user true; then
		echo "nothing is restricted"
		return 1
	fi
	cd /home/ordinary
	unset THOLE_DATA
	HOME=/home/ordinary runuser -u ordinary -- aa-exec -p no-namespaces -- thole sandbox run --fail-closed -- sh -c 'id -u; ! ls /home/ordinary/../../root'
}

check "installing starts nothing" installing_starts_nothing
settings_and_a_key
if [ -e /etc/apparmor.d/abi/4.0 ] && [ -d /sys/kernel/security/apparmor ]; then
	check "the profile is loaded" the_profile_is_loaded
	check "a restricted user has the full sandbox" a_restricted_user_has_the_sandbox
fi
check "starting waits for readiness" starting_waits_for_readiness
check "a turn over each socket" a_turn_over_each_socket
check "a credential reaches the provider" a_credential_reaches_the_provider
check "the strongest sandbox under the unit's restrictions" a_sandbox_under_the_unit /srv/desk
check "the same in its own working directory" a_sandbox_under_the_unit /var/lib/thole-work
check "doctor has no complaint, of root and of the service's user" doctor_has_no_complaint
check "too many processes are reported" too_many_processes_are_reported
check "a command runs" a_command_runs
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
	check "memory is kept by the group that the unit delegates" memory_is_kept_by_the_group
fi
check "stopping ends cleanly and leaves no process" stopping_leaves_no_process
check "the first connection starts it" the_first_connection_starts_it
check "a daemon that hangs is restarted" a_daemon_that_hangs_is_restarted
check "wrong settings are reported and not tried again" bad_settings_do_not_loop
check "an upgrade keeps pending approvals and changed files" an_upgrade_keeps_pending_approvals
check "removing stops it and keeps the log" removing_stops_it_and_keeps_the_log
check "purging removes settings and keeps the log" purging_removes_settings_and_keeps_the_log
echo "1..$number"
