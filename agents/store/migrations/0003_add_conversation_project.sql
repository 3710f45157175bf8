ALTER TABLE "agent_conversations" ADD COLUMN IF NOT EXISTS "project_id" text;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "agent_conversations_tenant_project_opened_idx" ON "agent_conversations" USING btree ("tenant_id", "project_id", "opened_at" DESC NULLS LAST) WHERE "project_id" IS NOT NULL;
