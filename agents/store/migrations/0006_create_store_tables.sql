-- Documents are JSON in text columns: jsonb would reorder their keys.
CREATE INDEX IF NOT EXISTS "agent_conversations_tenant_opened_idx" ON "agent_conversations" USING btree ("tenant_id", "opened_at" DESC, "id" COLLATE "C" DESC);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "agent_tenants" (
	"tenant_id" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "agent_messages" (
	"tenant_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"run_id" text,
	"idempotency_key" text,
	"message" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_messages_pkey" PRIMARY KEY ("tenant_id", "conversation_id", "sequence")
);
--> statement-breakpoint
CREATE UNIQUE INDEX IF NOT EXISTS "agent_messages_key_idx" ON "agent_messages" USING btree ("tenant_id", "conversation_id", "idempotency_key") WHERE "idempotency_key" IS NOT NULL;
--> statement-breakpoint
-- Snapshots word for word: the jsonb columns of their table reorder keys, and it has none for an organisation.
CREATE TABLE IF NOT EXISTS "agent_run_inputs" (
	"tenant_id" text NOT NULL,
	"run_id" text NOT NULL,
	"snapshot" text NOT NULL,
	CONSTRAINT "agent_run_inputs_pkey" PRIMARY KEY ("tenant_id", "run_id")
);
--> statement-breakpoint
-- Every append updates its run's row: room on the page keeps that cheap.
CREATE TABLE IF NOT EXISTS "agent_runs" (
	"tenant_id" text NOT NULL,
	"run_id" text NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY,
	"start_key" text,
	"conversation_id" text,
	"parent_run_id" text,
	"definition" text NOT NULL,
	"starter" text NOT NULL,
	"status" text NOT NULL,
	"sequence" bigint NOT NULL,
	"cancel_requested" text,
	"waiting_on" text DEFAULT '[]' NOT NULL,
	"last_epoch" bigint,
	"last_number" bigint,
	"last_answer" text,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "agent_runs_pkey" PRIMARY KEY ("tenant_id", "run_id")
) WITH (fillfactor = 60);
--> statement-breakpoint
CREATE UNIQUE INDEX IF NOT EXISTS "agent_runs_start_key_idx" ON "agent_runs" USING btree ("tenant_id", "start_key") WHERE "start_key" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_runs_position_idx" ON "agent_runs" USING btree ("tenant_id", "position" DESC);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_runs_open_idx" ON "agent_runs" USING btree ("tenant_id", "position" DESC) WHERE "ended_at" IS NULL;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_runs_conversation_idx" ON "agent_runs" USING btree ("tenant_id", "conversation_id", "position" DESC) WHERE "conversation_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_runs_parent_idx" ON "agent_runs" USING btree ("tenant_id", "parent_run_id") WHERE "parent_run_id" IS NOT NULL;
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "agent_run_entries" (
	"tenant_id" text NOT NULL,
	"run_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"kind" text NOT NULL,
	"node_id" text,
	"payload" text,
	"recorded_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_run_entries_pkey" PRIMARY KEY ("tenant_id", "run_id", "sequence")
);
--> statement-breakpoint
-- A token has an outcome once it is resolved, and a sequence once its wait was opened; either may come first.
CREATE TABLE IF NOT EXISTS "agent_run_tokens" (
	"tenant_id" text NOT NULL,
	"run_id" text NOT NULL,
	"token_id" text NOT NULL,
	"opened_by" bigint,
	"outcome" text,
	CONSTRAINT "agent_run_tokens_pkey" PRIMARY KEY ("tenant_id", "run_id", "token_id")
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "agent_leases" (
	"tenant_id" text NOT NULL,
	"key" text NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"holder" text,
	"expires_at" timestamp with time zone DEFAULT '-infinity' NOT NULL,
	CONSTRAINT "agent_leases_pkey" PRIMARY KEY ("tenant_id", "key")
) WITH (fillfactor = 60);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "agent_lease_places" (
	"tenant_id" text NOT NULL,
	"key" text NOT NULL,
	"holder" text NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_lease_places_pkey" PRIMARY KEY ("tenant_id", "key", "holder")
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "agent_approvals" (
	"tenant_id" text NOT NULL,
	"id" text NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY,
	"wait_token_id" text NOT NULL,
	"run_id" text NOT NULL,
	"conversation_id" text,
	"status" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"approval" text NOT NULL,
	CONSTRAINT "agent_approvals_pkey" PRIMARY KEY ("tenant_id", "id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX IF NOT EXISTS "agent_approvals_token_idx" ON "agent_approvals" USING btree ("tenant_id", "wait_token_id");
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_approvals_run_idx" ON "agent_approvals" USING btree ("tenant_id", "run_id");
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_approvals_conversation_idx" ON "agent_approvals" USING btree ("tenant_id", "conversation_id") WHERE "conversation_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_approvals_due_idx" ON "agent_approvals" USING btree ("tenant_id", "expires_at") WHERE "status" = 'pending';
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "agent_facts" (
	"tenant_id" text NOT NULL,
	"id" text NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY,
	"type" text NOT NULL,
	"supersedes" text,
	"version" integer NOT NULL,
	"fact" text NOT NULL,
	CONSTRAINT "agent_facts_pkey" PRIMARY KEY ("tenant_id", "id")
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_facts_type_idx" ON "agent_facts" USING btree ("tenant_id", "type", "position" DESC);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_facts_supersedes_idx" ON "agent_facts" USING btree ("tenant_id", "supersedes") WHERE "supersedes" IS NOT NULL;
--> statement-breakpoint
-- What facts mean to a model that turns text into vectors: 32-bit floats, the lowest byte first, as base64.
CREATE TABLE IF NOT EXISTS "agent_fact_vectors" (
	"tenant_id" text NOT NULL,
	"fact_id" text NOT NULL,
	"model" text NOT NULL,
	"vector" text NOT NULL,
	CONSTRAINT "agent_fact_vectors_pkey" PRIMARY KEY ("tenant_id", "fact_id", "model")
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "agent_provenance" (
	"tenant_id" text NOT NULL,
	"run_id" text NOT NULL,
	"record" text NOT NULL,
	CONSTRAINT "agent_provenance_pkey" PRIMARY KEY ("tenant_id", "run_id")
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "agent_model_calls" (
	"tenant_id" text NOT NULL,
	"call_id" text NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY,
	"run_id" text NOT NULL,
	"occurred_at" timestamp with time zone,
	"failed" integer NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"cache_read_tokens" bigint NOT NULL,
	"cache_write_tokens" bigint NOT NULL,
	"reasoning_tokens" bigint NOT NULL,
	"cost_usd" numeric NOT NULL,
	"record" text NOT NULL,
	CONSTRAINT "agent_model_calls_pkey" PRIMARY KEY ("tenant_id", "call_id")
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_model_calls_run_idx" ON "agent_model_calls" USING btree ("tenant_id", "run_id");
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_model_calls_time_idx" ON "agent_model_calls" USING btree ("tenant_id", "occurred_at");
