-- What the store does to runs and leases. Every function is called for a tenant that is set already; see kindgi_do.
CREATE OR REPLACE FUNCTION kindgi_time(moment timestamp with time zone) RETURNS text
LANGUAGE sql STABLE AS $$
	SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
--> statement-breakpoint
-- The store's clock: not the transaction's beginning, which may lie before a wait for a lock.
CREATE OR REPLACE FUNCTION kindgi_clock() RETURNS timestamp with time zone
LANGUAGE sql VOLATILE AS $$
	SELECT clock_timestamp()
$$;
--> statement-breakpoint
-- The same in whole milliseconds, as times are stored.
CREATE OR REPLACE FUNCTION kindgi_now() RETURNS timestamp with time zone
LANGUAGE sql VOLATILE AS $$
	SELECT date_trunc('milliseconds', kindgi_clock())
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_know_tenant(tenant text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM agent_tenants t WHERE t.tenant_id = tenant) THEN
		INSERT INTO agent_tenants (tenant_id) VALUES (tenant) ON CONFLICT DO NOTHING;
	END IF;
END $$;
--> statement-breakpoint
-- Takes a lease, or a place in the line for it; whoever holds the lease's row decides.
CREATE OR REPLACE FUNCTION kindgi_lease_acquire(tenant text, wanted text, asker text, ttl_ms double precision, queues boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	lease agent_leases;
	now_at timestamp with time zone;
	until timestamp with time zone;
	own_place bigint;
	ahead bigint;
BEGIN
	LOOP
		SELECT * INTO lease FROM agent_leases l WHERE l.tenant_id = tenant AND l.key = wanted FOR UPDATE;
		EXIT WHEN FOUND;
		INSERT INTO agent_leases (tenant_id, key) VALUES (tenant, wanted) ON CONFLICT DO NOTHING;
	END LOOP;
	now_at := kindgi_clock();
	until := now_at + ttl_ms * interval '1 millisecond';
	IF lease.holder = asker THEN
		UPDATE agent_leases l SET expires_at = until WHERE l.tenant_id = tenant AND l.key = wanted;
		RETURN jsonb_build_object('kind', 'held', 'epoch', lease.epoch);
	END IF;
	DELETE FROM agent_lease_places p WHERE p.tenant_id = tenant AND p.key = wanted AND p.expires_at <= now_at AND p.holder <> asker;
	SELECT p.position INTO own_place FROM agent_lease_places p WHERE p.tenant_id = tenant AND p.key = wanted AND p.holder = asker;
	SELECT count(*) INTO ahead FROM agent_lease_places p WHERE p.tenant_id = tenant AND p.key = wanted AND (own_place IS NULL OR p.position < own_place);
	IF ahead = 0 AND (lease.holder IS NULL OR lease.expires_at <= now_at) THEN
		IF own_place IS NOT NULL THEN
			DELETE FROM agent_lease_places p WHERE p.tenant_id = tenant AND p.key = wanted AND p.holder = asker;
		END IF;
		UPDATE agent_leases l SET epoch = lease.epoch + 1, holder = asker, expires_at = until WHERE l.tenant_id = tenant AND l.key = wanted;
		RETURN jsonb_build_object('kind', 'held', 'epoch', lease.epoch + 1);
	END IF;
	IF NOT queues THEN
		RETURN jsonb_build_object('kind', 'waiting', 'place', 0);
	END IF;
	INSERT INTO agent_lease_places (tenant_id, key, holder, expires_at) VALUES (tenant, wanted, asker, until)
	ON CONFLICT (tenant_id, key, holder) DO UPDATE SET expires_at = excluded.expires_at;
	RETURN jsonb_build_object('kind', 'waiting', 'place', ahead + 1);
END $$;
--> statement-breakpoint
-- Renews a lease that nobody else has taken; for a run's it tells of a wish to cancel.
CREATE OR REPLACE FUNCTION kindgi_lease_renew(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	reason text;
BEGIN
	UPDATE agent_leases l SET expires_at = kindgi_clock() + (input->>'ttlMs')::double precision * interval '1 millisecond'
	WHERE l.tenant_id = tenant AND l.key = input->>'key' AND l.holder = input->>'holder' AND l.epoch = (input->>'epoch')::bigint;
	IF NOT FOUND THEN
		RETURN jsonb_build_object('error', 'run-lease-lost');
	END IF;
	IF input ? 'runId' THEN
		SELECT r.cancel_requested INTO reason FROM agent_runs r WHERE r.tenant_id = tenant AND r.run_id = input->>'runId';
	END IF;
	RETURN jsonb_strip_nulls(jsonb_build_object('cancelRequested', reason));
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_lease_release(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
	UPDATE agent_leases l SET holder = NULL WHERE l.tenant_id = tenant AND l.key = input->>'key' AND l.holder = input->>'holder';
	IF NOT FOUND THEN
		DELETE FROM agent_lease_places p WHERE p.tenant_id = tenant AND p.key = input->>'key' AND p.holder = input->>'holder';
	END IF;
	RETURN '{}';
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_lease_forget(tenant text, forgotten text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM agent_lease_places p WHERE p.tenant_id = tenant AND p.key = forgotten;
	DELETE FROM agent_leases l WHERE l.tenant_id = tenant AND l.key = forgotten;
END $$;
--> statement-breakpoint
-- Whether a wait is over: its token was resolved, or its run is.
CREATE OR REPLACE FUNCTION kindgi_wait_is_over(tenant text, waiting jsonb) RETURNS boolean
LANGUAGE sql STABLE AS $$
	SELECT NOT EXISTS (
		SELECT FROM agent_runs r
		WHERE r.tenant_id = tenant AND r.run_id = waiting->>'runId' AND r.ended_at IS NULL AND r.cancel_requested IS NULL
	) OR EXISTS (
		SELECT FROM agent_run_tokens t
		WHERE t.tenant_id = tenant AND t.run_id = waiting->>'runId' AND t.token_id = waiting->>'tokenId' AND t.outcome IS NOT NULL
	)
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_run_is_executing(run agent_runs) RETURNS boolean
LANGUAGE sql VOLATILE AS $$
	SELECT run.ended_at IS NULL AND EXISTS (
		SELECT FROM agent_leases l
		WHERE l.tenant_id = run.tenant_id AND l.key = 'run:' || run.run_id AND l.holder IS NOT NULL AND l.expires_at > kindgi_clock()
	)
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_run_is_resumable(run agent_runs) RETURNS boolean
LANGUAGE sql VOLATILE AS $$
	SELECT run.ended_at IS NULL AND NOT kindgi_run_is_executing(run) AND (
		run.status <> 'suspended' OR run.cancel_requested IS NOT NULL OR EXISTS (
			SELECT FROM jsonb_array_elements(run.waiting_on::jsonb) w WHERE kindgi_wait_is_over(run.tenant_id, w.value)
		)
	)
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_run_record(run agent_runs) RETURNS jsonb
LANGUAGE sql VOLATILE AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object(
		'definition', run.definition,
		'status', run.status,
		'executing', kindgi_run_is_executing(run),
		'resumable', kindgi_run_is_resumable(run),
		'cancelRequested', run.cancel_requested,
		'waitingOn', run.waiting_on,
		'startedAt', kindgi_time(run.started_at),
		'endedAt', kindgi_time(run.ended_at),
		'sequence', run.sequence
	))
$$;
--> statement-breakpoint
-- Appends entries to a run whose row the caller holds: [[kind, node, payload]], and what they come to, as the store read
-- it from them: { status?, ends?, cancelRequested?, waitingOn?, opens?: [[token, place]] }. Answers the outcomes of opened
-- tokens that were resolved before.
CREATE OR REPLACE FUNCTION kindgi_run_add(run agent_runs, added jsonb, effect jsonb, now_at timestamp with time zone) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	resolved jsonb;
BEGIN
	INSERT INTO agent_run_entries (tenant_id, run_id, sequence, kind, node_id, payload, recorded_at)
	SELECT run.tenant_id, run.run_id, run.sequence + e.place, e.value->>0, e.value->>1, e.value->>2, now_at
	FROM jsonb_array_elements(added) WITH ORDINALITY e(value, place);
	IF effect ? 'opens' THEN
		INSERT INTO agent_run_tokens (tenant_id, run_id, token_id, opened_by)
		SELECT run.tenant_id, run.run_id, o.value->>0, run.sequence + (o.value->>1)::bigint FROM jsonb_array_elements(effect->'opens') o
		ON CONFLICT (tenant_id, run_id, token_id) DO UPDATE SET opened_by = coalesce(agent_run_tokens.opened_by, excluded.opened_by);
		SELECT jsonb_agg(t.outcome ORDER BY t.opened_by) INTO resolved FROM agent_run_tokens t
		WHERE t.tenant_id = run.tenant_id AND t.run_id = run.run_id AND t.outcome IS NOT NULL
			AND t.token_id IN (SELECT o.value->>0 FROM jsonb_array_elements(effect->'opens') o);
	END IF;
	IF effect ? 'resolves' THEN
		INSERT INTO agent_run_tokens (tenant_id, run_id, token_id, outcome)
		SELECT run.tenant_id, run.run_id, o.value->>0, o.value->>1 FROM jsonb_array_elements(effect->'resolves') o
		ON CONFLICT (tenant_id, run_id, token_id) DO UPDATE SET outcome = excluded.outcome;
	END IF;
	UPDATE agent_runs r SET
		sequence = run.sequence + jsonb_array_length(added),
		status = coalesce(effect->>'status', r.status),
		waiting_on = CASE WHEN effect ? 'status' THEN coalesce(effect->>'waitingOn', '[]') ELSE r.waiting_on END,
		cancel_requested = coalesce(r.cancel_requested, effect->>'cancelRequested'),
		ended_at = CASE WHEN effect ? 'ends' THEN now_at ELSE r.ended_at END
	WHERE r.tenant_id = run.tenant_id AND r.run_id = run.run_id;
	IF effect ? 'ends' THEN
		PERFORM kindgi_lease_forget(run.tenant_id, 'run:' || run.run_id);
	END IF;
	RETURN resolved;
END $$;
--> statement-breakpoint
-- Resolves a token of a run whose row the caller holds, with the entry that says so.
CREATE OR REPLACE FUNCTION kindgi_run_resolve(run agent_runs, token text, outcome text, kind text, payload text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO agent_run_tokens (tenant_id, run_id, token_id, outcome) VALUES (run.tenant_id, run.run_id, token, outcome)
	ON CONFLICT (tenant_id, run_id, token_id) DO UPDATE SET outcome = excluded.outcome;
	PERFORM kindgi_run_add(run, jsonb_build_array(jsonb_build_array(kind, NULL, payload)), '{}', kindgi_now());
END $$;
--> statement-breakpoint
-- Cancels every open wait of a run whose row the caller holds, in the order they were opened.
CREATE OR REPLACE FUNCTION kindgi_run_cancel_waits(held agent_runs, reason text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
	run agent_runs := held;
	token text;
BEGIN
	FOR token IN
		SELECT t.token_id FROM agent_run_tokens t
		WHERE t.tenant_id = held.tenant_id AND t.run_id = held.run_id AND t.opened_by IS NOT NULL AND t.outcome IS NULL
		ORDER BY t.opened_by
	LOOP
		PERFORM kindgi_run_resolve(
			run, token,
			json_build_object('tokenId', token, 'kind', 'cancelled', 'reason', reason)::text,
			'wait.cancelled',
			json_build_object('tokenId', token, 'reason', reason)::text
		);
		run.sequence := run.sequence + 1;
	END LOOP;
END $$;
--> statement-breakpoint
-- Starts a run with its lease, and with a second one, 'exclusive', where that is asked for.
CREATE OR REPLACE FUNCTION kindgi_journal_start(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	run agent_runs;
	now_at timestamp with time zone;
	taken jsonb;
	second jsonb;
	resolved jsonb;
BEGIN
	LOOP
		SELECT * INTO run FROM agent_runs r WHERE r.tenant_id = tenant AND r.run_id = input->>'runId' FOR UPDATE;
		IF NOT FOUND AND input ? 'startKey' THEN
			SELECT * INTO run FROM agent_runs r WHERE r.tenant_id = tenant AND r.start_key = input->>'startKey' FOR UPDATE;
		END IF;
		IF FOUND THEN
			-- The same start again: its answer was lost, and nothing has happened since.
			IF run.starter = input->>'holder' AND run.last_number IS NULL AND run.ended_at IS NULL THEN
				IF input ? 'exclusive' THEN
					second := kindgi_lease_acquire(tenant, input->>'exclusive', input->>'holder', (input->>'ttlMs')::double precision, false);
					IF second->>'kind' <> 'held' THEN
						RETURN jsonb_build_object('waiting', true);
					END IF;
				END IF;
				taken := kindgi_lease_acquire(tenant, 'run:' || run.run_id, input->>'holder', (input->>'ttlMs')::double precision, false);
				IF taken->>'kind' = 'held' THEN
					RETURN jsonb_build_object('epoch', taken->'epoch', 'exclusiveEpoch', second->'epoch', 'appended', jsonb_strip_nulls(jsonb_build_object(
						'sequence', run.sequence, 'timestamp', kindgi_time(run.started_at), 'cancelRequested', run.cancel_requested
					)));
				END IF;
			END IF;
			IF second IS NOT NULL THEN
				-- Taken before somebody else's start of the run could be seen, or in vain.
				PERFORM kindgi_lease_release(tenant, jsonb_build_object('key', input->'exclusive', 'holder', input->'holder'));
			END IF;
			RETURN jsonb_build_object('exists', kindgi_run_record(run));
		END IF;
		IF input ? 'exclusive' AND second IS NULL THEN
			second := kindgi_lease_acquire(tenant, input->>'exclusive', input->>'holder', (input->>'ttlMs')::double precision, false);
			IF second->>'kind' <> 'held' THEN
				RETURN jsonb_build_object('waiting', true);
			END IF;
		END IF;
		IF input ? 'within' THEN
			PERFORM FROM agent_leases l WHERE l.tenant_id = tenant AND l.key = input#>>'{within,key}'
				AND l.epoch = (input#>>'{within,epoch}')::bigint AND l.holder IS NOT NULL FOR SHARE;
			IF NOT FOUND THEN
				RETURN jsonb_build_object('error', 'run-lease-lost', 'key', input#>'{within,key}');
			END IF;
		END IF;
		now_at := kindgi_now();
		INSERT INTO agent_runs (tenant_id, run_id, start_key, conversation_id, parent_run_id, definition, starter, status, sequence, started_at)
		VALUES (tenant, input->>'runId', input->>'startKey', input->>'conversationId', input->>'parentRunId', input->>'definition',
			input->>'holder', 'running', 0, now_at)
		ON CONFLICT DO NOTHING RETURNING * INTO run;
		EXIT WHEN FOUND;
	END LOOP;
	PERFORM kindgi_know_tenant(tenant);
	taken := kindgi_lease_acquire(tenant, 'run:' || run.run_id, input->>'holder', (input->>'ttlMs')::double precision, false);
	IF taken->>'kind' <> 'held' THEN
		RAISE EXCEPTION 'the lease of run % is somebody else''s already', run.run_id;
	END IF;
	resolved := kindgi_run_add(run, input->'entries', input->'effect', now_at);
	RETURN jsonb_build_object('epoch', taken->'epoch', 'exclusiveEpoch', second->'epoch', 'appended', jsonb_strip_nulls(jsonb_build_object(
		'sequence', jsonb_array_length(input->'entries'), 'timestamp', kindgi_time(now_at), 'resolved', resolved
	)));
END $$;
--> statement-breakpoint
-- Appends under a run's lease, and parks when waits are given and none of them is over.
CREATE OR REPLACE FUNCTION kindgi_journal_append(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	run agent_runs;
	now_at timestamp with time zone;
	parks boolean;
	released boolean;
	added jsonb := input->'entries';
	effect jsonb := input->'effect';
	answer jsonb;
	resolved jsonb;
BEGIN
	SELECT * INTO run FROM agent_runs r WHERE r.tenant_id = tenant AND r.run_id = input->>'runId' FOR UPDATE;
	IF NOT FOUND THEN
		RETURN jsonb_build_object('error', 'run-not-found');
	END IF;
	IF run.last_epoch = (input->>'epoch')::bigint AND run.last_number = (input->>'number')::bigint THEN
		answer := run.last_answer::jsonb;
	ELSIF run.ended_at IS NOT NULL THEN
		RETURN jsonb_build_object('error', 'run-already-terminal');
	ELSE
		-- Held until the end: a lease that is checked can't go to somebody else before the entries are there.
		PERFORM FROM agent_leases l WHERE l.tenant_id = tenant AND l.key = 'run:' || run.run_id
			AND l.epoch = (input->>'epoch')::bigint AND l.holder IS NOT NULL FOR UPDATE;
		IF NOT FOUND THEN
			RETURN jsonb_build_object('error', 'run-lease-lost', 'key', 'run:' || run.run_id);
		END IF;
		IF input ? 'within' THEN
			PERFORM FROM agent_leases l WHERE l.tenant_id = tenant AND l.key = input#>>'{within,key}'
				AND l.epoch = (input#>>'{within,epoch}')::bigint AND l.holder IS NOT NULL FOR UPDATE;
			IF NOT FOUND THEN
				RETURN jsonb_build_object('error', 'run-lease-lost', 'key', input#>'{within,key}');
			END IF;
		END IF;
		now_at := kindgi_now();
		parks := input ? 'waitingOn' AND run.cancel_requested IS NULL AND NOT EXISTS (
			SELECT FROM jsonb_array_elements(input->'waitingOn') w WHERE kindgi_wait_is_over(tenant, w.value)
		);
		IF parks THEN
			added := added || jsonb_build_array(jsonb_build_array('run.suspended', NULL, input->>'suspended'));
			effect := effect || jsonb_build_object('status', 'suspended', 'waitingOn', (input->'waitingOn')::text);
			UPDATE agent_leases l SET holder = NULL WHERE l.tenant_id = tenant AND l.key = 'run:' || run.run_id;
		END IF;
		IF input ? 'usage' THEN
			PERFORM kindgi_usage_keep(tenant, u.value) FROM jsonb_array_elements(input->'usage') u;
		END IF;
		resolved := kindgi_run_add(run, added, effect, now_at);
		released := input ? 'release' AND input ? 'within' AND (parks OR effect ? 'ends');
		IF released THEN
			UPDATE agent_leases l SET holder = NULL WHERE l.tenant_id = tenant AND l.key = input#>>'{within,key}';
		END IF;
		answer := jsonb_build_object('parked', parks, 'appended', jsonb_strip_nulls(jsonb_build_object(
			'sequence', run.sequence + jsonb_array_length(added), 'timestamp', kindgi_time(now_at),
			'cancelRequested', coalesce(run.cancel_requested, effect->>'cancelRequested'), 'resolved', resolved,
			'released', CASE WHEN released THEN true END
		)));
		UPDATE agent_runs r SET last_epoch = (input->>'epoch')::bigint, last_number = (input->>'number')::bigint, last_answer = answer::text
		WHERE r.tenant_id = tenant AND r.run_id = run.run_id;
	END IF;
	IF input ? 'waitingOn' AND NOT (answer->>'parked')::boolean THEN
		SELECT jsonb_agg(t.outcome) INTO resolved
		FROM jsonb_array_elements(input->'waitingOn') w
		JOIN agent_run_tokens t ON t.tenant_id = tenant AND t.run_id = run.run_id AND t.token_id = w.value->>'tokenId'
		WHERE w.value->>'runId' = run.run_id AND t.outcome IS NOT NULL;
		answer := answer || jsonb_build_object('resolved', coalesce(resolved, '[]'));
	END IF;
	RETURN answer;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_journal_resolve(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	run agent_runs;
	known text;
BEGIN
	SELECT * INTO run FROM agent_runs r WHERE r.tenant_id = tenant AND r.run_id = input->>'runId' FOR UPDATE;
	IF NOT FOUND THEN
		RETURN jsonb_build_object('error', 'run-not-found');
	END IF;
	SELECT t.outcome INTO known FROM agent_run_tokens t
	WHERE t.tenant_id = tenant AND t.run_id = run.run_id AND t.token_id = input->>'tokenId';
	IF known IS NOT NULL THEN
		RETURN jsonb_build_object('outcome', known, 'first', false);
	END IF;
	IF run.ended_at IS NOT NULL THEN
		RETURN jsonb_build_object('error', 'run-already-terminal');
	END IF;
	PERFORM kindgi_run_resolve(run, input->>'tokenId', input->>'outcome', input->>'kind', input->>'payload');
	RETURN jsonb_build_object('outcome', input->>'outcome', 'first', true);
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_journal_cancel(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	run agent_runs;
BEGIN
	SELECT * INTO run FROM agent_runs r WHERE r.tenant_id = tenant AND r.run_id = input->>'runId' FOR UPDATE;
	IF NOT FOUND THEN
		RETURN jsonb_build_object('error', 'run-not-found');
	END IF;
	IF run.ended_at IS NOT NULL THEN
		RETURN jsonb_build_object('error', 'run-already-terminal');
	END IF;
	IF run.cancel_requested IS NULL THEN
		PERFORM kindgi_run_add(
			run, jsonb_build_array(jsonb_build_array('run.cancel-requested', NULL, input->>'payload')),
			jsonb_build_object('cancelRequested', input->>'reason'), kindgi_now()
		);
		run.sequence := run.sequence + 1;
		PERFORM kindgi_run_cancel_waits(run, input->>'reason');
		SELECT * INTO run FROM agent_runs r WHERE r.tenant_id = tenant AND r.run_id = input->>'runId';
	END IF;
	RETURN kindgi_run_record(run);
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_journal_read(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM agent_runs r WHERE r.tenant_id = tenant AND r.run_id = input->>'runId') THEN
		RETURN jsonb_build_object('error', 'run-not-found');
	END IF;
	RETURN jsonb_build_object('entries', (
		SELECT coalesce(jsonb_agg(jsonb_build_array(e.sequence, e.kind, e.node_id, e.payload, kindgi_time(e.recorded_at)) ORDER BY e.sequence), '[]')
		FROM agent_run_entries e WHERE e.tenant_id = tenant AND e.run_id = input->>'runId'
	));
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_journal_get(tenant text, input jsonb) RETURNS jsonb
LANGUAGE sql AS $$
	SELECT kindgi_run_record(r) FROM agent_runs r WHERE r.tenant_id = tenant AND r.run_id = input->>'runId'
$$;
--> statement-breakpoint
-- Put together from what is asked for: so each index serves the question that it was made for.
CREATE OR REPLACE FUNCTION kindgi_journal_list(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	conditions text := '';
	found_runs jsonb;
BEGIN
	IF input ? 'status' THEN
		conditions := conditions || ' AND r.status = $2';
	END IF;
	IF input ? 'conversationId' THEN
		conditions := conditions || ' AND r.conversation_id = $3';
	END IF;
	IF input ? 'parentRunId' THEN
		conditions := conditions || ' AND r.parent_run_id = $4';
	END IF;
	IF input->'resumable' = 'true' THEN
		conditions := conditions || ' AND r.ended_at IS NULL AND kindgi_run_is_resumable(r)';
	ELSIF input ? 'resumable' THEN
		conditions := conditions || ' AND NOT kindgi_run_is_resumable(r)';
	END IF;
	EXECUTE format(
		'SELECT jsonb_agg(kindgi_run_record(f.run) ORDER BY f.position DESC) FROM (
			SELECT r AS run, r.position FROM agent_runs r WHERE r.tenant_id = $1%s ORDER BY r.position DESC LIMIT $5
		) f',
		conditions
	) INTO found_runs
	USING tenant, input->>'status', input->>'conversationId', input->>'parentRunId', (input->>'limit')::bigint;
	RETURN coalesce(found_runs, '[]');
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_journal_remove(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	removed text := input->>'runId';
BEGIN
	DELETE FROM agent_runs r WHERE r.tenant_id = tenant AND r.run_id = removed;
	IF FOUND THEN
		DELETE FROM agent_run_entries e WHERE e.tenant_id = tenant AND e.run_id = removed;
		DELETE FROM agent_run_tokens t WHERE t.tenant_id = tenant AND t.run_id = removed;
		PERFORM kindgi_lease_forget(tenant, 'run:' || removed);
	END IF;
	RETURN '{}';
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_lease_take(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM kindgi_know_tenant(tenant);
	RETURN kindgi_lease_acquire(tenant, input->>'key', input->>'holder', (input->>'ttlMs')::double precision, (input->>'wait')::boolean);
END $$;
