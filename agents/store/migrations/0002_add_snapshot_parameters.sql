ALTER TABLE "agent_run_snapshots" ADD COLUMN IF NOT EXISTS "parameters" jsonb;
--> statement-breakpoint
ALTER TABLE "agent_run_snapshots" ADD COLUMN IF NOT EXISTS "input" jsonb;
