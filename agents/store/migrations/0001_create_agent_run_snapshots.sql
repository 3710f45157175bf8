CREATE TABLE IF NOT EXISTS "agent_run_snapshots" (
	"id" text NOT NULL,
	"tenant_id" text NOT NULL,
	"project_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"agent_version" text NOT NULL,
	"user_message" text NOT NULL,
	"participant_id" text,
	"dry_run" integer DEFAULT 0 NOT NULL,
	"principal" jsonb,
	"authz" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_run_snapshots_pkey" PRIMARY KEY ("tenant_id", "id")
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_run_snapshots_tenant_idx" ON "agent_run_snapshots" USING btree ("tenant_id");
