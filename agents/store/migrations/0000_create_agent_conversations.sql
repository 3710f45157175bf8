CREATE TABLE IF NOT EXISTS "agent_conversations" (
	"id" text DEFAULT gen_random_uuid()::text NOT NULL,
	"tenant_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"agent_version" text NOT NULL,
	"title" text NOT NULL,
	"participant_id" text,
	"scope" jsonb NOT NULL,
	"opened_at" timestamp with time zone DEFAULT now() NOT NULL,
	"closed_at" timestamp with time zone,
	"turn_count" integer DEFAULT 0 NOT NULL,
	"last_message_at" timestamp with time zone,
	"metadata" jsonb,
	CONSTRAINT "agent_conversations_pkey" PRIMARY KEY ("tenant_id", "id")
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_conversations_tenant_agent_idx" ON "agent_conversations" USING btree ("tenant_id", "agent_id");
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_conversations_tenant_participant_idx" ON "agent_conversations" USING btree ("tenant_id", "participant_id");
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_conversations_open_recent_idx" ON "agent_conversations" USING btree ("tenant_id", "last_message_at" DESC NULLS LAST) WHERE "closed_at" IS NULL;
