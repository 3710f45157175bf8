-- What the store does to conversations, snapshots, the account and provenance, where one round trip counts.
CREATE OR REPLACE FUNCTION kindgi_conversation(found agent_conversations) RETURNS jsonb
LANGUAGE sql STABLE AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object(
		'id', found.id,
		'agentId', found.agent_id,
		'agentVersion', found.agent_version,
		'title', found.title,
		'participantId', found.participant_id,
		'projectId', found.project_id,
		'openedAt', kindgi_time(found.opened_at),
		'closedAt', kindgi_time(found.closed_at),
		'turnCount', found.turn_count,
		'lastMessageAt', kindgi_time(found.last_message_at)
	)) || jsonb_build_object('scope', found.scope, 'metadata', found.metadata)
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_conversation_read(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	found_one agent_conversations;
	most bigint := (input->>'last')::bigint;
BEGIN
	SELECT * INTO found_one FROM agent_conversations c
	WHERE c.tenant_id = tenant AND c.id = input->>'conversationId' AND c.unregistered_at IS NULL;
	IF NOT FOUND THEN
		RETURN jsonb_build_object('error', 'conversation-not-found');
	END IF;
	RETURN jsonb_build_object('conversation', kindgi_conversation(found_one), 'messages', (
		SELECT coalesce(jsonb_agg(jsonb_build_array(m.sequence, m.message, kindgi_time(m.created_at)) ORDER BY m.sequence), '[]')
		FROM (
			SELECT * FROM agent_messages n WHERE n.tenant_id = tenant AND n.conversation_id = found_one.id
			ORDER BY n.sequence DESC LIMIT most
		) m
	));
END $$;
--> statement-breakpoint
-- Appends a message; without one it only tells why none could be appended.
CREATE OR REPLACE FUNCTION kindgi_message_append(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
	found_one agent_conversations;
	known agent_messages;
	now_at timestamp with time zone;
	next bigint;
BEGIN
	SELECT * INTO found_one FROM agent_conversations c
	WHERE c.tenant_id = tenant AND c.id = input->>'conversationId' AND c.unregistered_at IS NULL FOR UPDATE;
	IF NOT FOUND THEN
		RETURN jsonb_build_object('error', 'conversation-not-found');
	END IF;
	IF input ? 'key' THEN
		SELECT * INTO known FROM agent_messages m
		WHERE m.tenant_id = tenant AND m.conversation_id = found_one.id AND m.idempotency_key = input->>'key';
		IF FOUND THEN
			RETURN jsonb_build_object('message', jsonb_build_array(known.sequence, known.message, kindgi_time(known.created_at)));
		END IF;
	END IF;
	IF found_one.closed_at IS NOT NULL THEN
		RETURN jsonb_build_object('error', 'conversation-closed', 'closedAt', kindgi_time(found_one.closed_at));
	END IF;
	IF NOT input ? 'message' THEN
		RETURN jsonb_build_object('error', 'invalid-message');
	END IF;
	now_at := kindgi_now();
	SELECT coalesce(max(m.sequence), 0) + 1 INTO next FROM agent_messages m
	WHERE m.tenant_id = tenant AND m.conversation_id = found_one.id;
	INSERT INTO agent_messages (tenant_id, conversation_id, sequence, run_id, idempotency_key, message, created_at)
	VALUES (tenant, found_one.id, next, input->>'runId', input->>'key', input->>'message', now_at);
	UPDATE agent_conversations c SET last_message_at = now_at, turn_count = c.turn_count + (input->>'turns')::integer
	WHERE c.tenant_id = tenant AND c.id = found_one.id;
	RETURN jsonb_build_object('sequence', next, 'createdAt', kindgi_time(now_at));
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_snapshot_write(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM kindgi_know_tenant(tenant);
	INSERT INTO agent_run_snapshots (id, tenant_id, project_id, conversation_id, agent_id, agent_version, user_message,
		parameters, input, participant_id, dry_run, principal, authz, created_at)
	VALUES (input->>'runId', tenant, input->>'projectId', input->>'conversationId', input->>'agentId', input->>'agentVersion',
		input->>'userMessage', input->'parameters', input->'input', input->>'participantId', (input->>'dryRun')::integer,
		input->'principal', input->'authz', kindgi_now())
	ON CONFLICT DO NOTHING;
	IF FOUND THEN
		INSERT INTO agent_run_inputs (tenant_id, run_id, snapshot) VALUES (tenant, input->>'runId', input->>'snapshot')
		ON CONFLICT DO NOTHING;
	END IF;
	RETURN '{}';
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_snapshot_read(tenant text, input jsonb) RETURNS jsonb
LANGUAGE sql AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object(
		'runId', s.id,
		'projectId', s.project_id,
		'agentId', s.agent_id,
		'agentVersion', s.agent_version,
		'conversationId', s.conversation_id,
		'userMessage', s.user_message,
		'participantId', s.participant_id,
		'dryRun', s.dry_run,
		'createdAt', kindgi_time(s.created_at),
		'snapshot', i.snapshot
	)) || jsonb_build_object('parameters', s.parameters, 'input', s.input, 'principal', s.principal, 'authz', s.authz)
	FROM agent_run_snapshots s
	LEFT JOIN agent_run_inputs i ON i.tenant_id = s.tenant_id AND i.run_id = s.id
	WHERE s.tenant_id = $1 AND s.id = $2->>'runId'
$$;
--> statement-breakpoint
-- Keeps the record of a model call; the first one of a call counts.
CREATE OR REPLACE FUNCTION kindgi_usage_keep(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM kindgi_know_tenant(tenant);
	INSERT INTO agent_model_calls (tenant_id, call_id, run_id, occurred_at, failed, prompt_tokens, completion_tokens,
		cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, record)
	VALUES (tenant, input->>'callId', input->>'runId', (input->>'occurredAt')::timestamp with time zone,
		(input->>'failed')::integer, (input->>'promptTokens')::bigint, (input->>'completionTokens')::bigint,
		(input->>'cacheReadTokens')::bigint, (input->>'cacheWriteTokens')::bigint, (input->>'reasoningTokens')::bigint,
		(input->>'costUsd')::numeric, input->>'record')
	ON CONFLICT DO NOTHING;
	RETURN '{}';
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION kindgi_provenance_keep(tenant text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM kindgi_know_tenant(tenant);
	INSERT INTO agent_provenance (tenant_id, run_id, record) VALUES (tenant, input->>'runId', input->>'record')
	ON CONFLICT DO NOTHING;
	RETURN '{}';
END $$;
--> statement-breakpoint
-- The one door: sets the tenant and does the work, in one statement. Names are found in the schema it was made in.
CREATE OR REPLACE FUNCTION kindgi_do(tenant text, operation text, input jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	PERFORM set_config('kindgi.tenant_id', tenant, true);
	CASE operation
		WHEN 'journal_append' THEN RETURN kindgi_journal_append(tenant, input);
		WHEN 'message_append' THEN RETURN kindgi_message_append(tenant, input);
		WHEN 'conversation_read' THEN RETURN kindgi_conversation_read(tenant, input);
		WHEN 'journal_start' THEN RETURN kindgi_journal_start(tenant, input);
		WHEN 'snapshot_write' THEN RETURN kindgi_snapshot_write(tenant, input);
		WHEN 'snapshot_read' THEN RETURN kindgi_snapshot_read(tenant, input);
		WHEN 'usage_keep' THEN RETURN kindgi_usage_keep(tenant, input);
		WHEN 'provenance_keep' THEN RETURN kindgi_provenance_keep(tenant, input);
		WHEN 'lease_take' THEN RETURN kindgi_lease_take(tenant, input);
		WHEN 'lease_renew' THEN RETURN kindgi_lease_renew(tenant, input);
		WHEN 'lease_release' THEN RETURN kindgi_lease_release(tenant, input);
		WHEN 'journal_get' THEN RETURN kindgi_journal_get(tenant, input);
		WHEN 'journal_read' THEN RETURN kindgi_journal_read(tenant, input);
		WHEN 'journal_list' THEN RETURN kindgi_journal_list(tenant, input);
		WHEN 'journal_resolve' THEN RETURN kindgi_journal_resolve(tenant, input);
		WHEN 'journal_cancel' THEN RETURN kindgi_journal_cancel(tenant, input);
		WHEN 'journal_remove' THEN RETURN kindgi_journal_remove(tenant, input);
	END CASE;
END $$;
