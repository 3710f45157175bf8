ALTER TABLE "agent_run_snapshots" ADD COLUMN IF NOT EXISTS "replay" jsonb;
