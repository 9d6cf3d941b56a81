-- Sealed JSON: values that the log of an open task hides besides secrets (the token of the job, and
-- what `::add-mask::` names), for a process that goes on with the log.
ALTER TABLE runner_tasks ADD COLUMN masks TEXT;
