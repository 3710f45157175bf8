ALTER TABLE "agent_conversations" ADD COLUMN IF NOT EXISTS "unregistered_at" timestamp with time zone;
