-- Why a run waits, in one line.
ALTER TABLE workflow_runs ADD COLUMN waiting_reason TEXT;
