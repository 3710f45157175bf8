-- Every row belongs to a tenant, and nobody sees another's: not even the tables' owner. The tenant is set for one
-- transaction at a time; while none is set there are no rows.
ALTER TABLE "agent_conversations" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_conversations" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_conversations_tenant" ON "agent_conversations";
--> statement-breakpoint
CREATE POLICY "agent_conversations_tenant" ON "agent_conversations"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_run_snapshots" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_run_snapshots" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_run_snapshots_tenant" ON "agent_run_snapshots";
--> statement-breakpoint
CREATE POLICY "agent_run_snapshots_tenant" ON "agent_run_snapshots"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_messages" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_messages" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_messages_tenant" ON "agent_messages";
--> statement-breakpoint
CREATE POLICY "agent_messages_tenant" ON "agent_messages"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_run_inputs" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_run_inputs" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_run_inputs_tenant" ON "agent_run_inputs";
--> statement-breakpoint
CREATE POLICY "agent_run_inputs_tenant" ON "agent_run_inputs"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_runs" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_runs" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_runs_tenant" ON "agent_runs";
--> statement-breakpoint
CREATE POLICY "agent_runs_tenant" ON "agent_runs"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_run_entries" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_run_entries" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_run_entries_tenant" ON "agent_run_entries";
--> statement-breakpoint
CREATE POLICY "agent_run_entries_tenant" ON "agent_run_entries"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_run_tokens" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_run_tokens" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_run_tokens_tenant" ON "agent_run_tokens";
--> statement-breakpoint
CREATE POLICY "agent_run_tokens_tenant" ON "agent_run_tokens"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_leases" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_leases" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_leases_tenant" ON "agent_leases";
--> statement-breakpoint
CREATE POLICY "agent_leases_tenant" ON "agent_leases"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_lease_places" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_lease_places" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_lease_places_tenant" ON "agent_lease_places";
--> statement-breakpoint
CREATE POLICY "agent_lease_places_tenant" ON "agent_lease_places"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_approvals" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_approvals" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_approvals_tenant" ON "agent_approvals";
--> statement-breakpoint
CREATE POLICY "agent_approvals_tenant" ON "agent_approvals"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_facts" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_facts" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_facts_tenant" ON "agent_facts";
--> statement-breakpoint
CREATE POLICY "agent_facts_tenant" ON "agent_facts"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_fact_vectors" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_fact_vectors" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_fact_vectors_tenant" ON "agent_fact_vectors";
--> statement-breakpoint
CREATE POLICY "agent_fact_vectors_tenant" ON "agent_fact_vectors"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_provenance" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_provenance" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_provenance_tenant" ON "agent_provenance";
--> statement-breakpoint
CREATE POLICY "agent_provenance_tenant" ON "agent_provenance"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
--> statement-breakpoint
ALTER TABLE "agent_model_calls" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "agent_model_calls" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP POLICY IF EXISTS "agent_model_calls_tenant" ON "agent_model_calls";
--> statement-breakpoint
CREATE POLICY "agent_model_calls_tenant" ON "agent_model_calls"
	USING ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''))
	WITH CHECK ("tenant_id" = nullif(current_setting('kindgi.tenant_id', true), ''));
