-- Tasks whose answer was lost on its way to the runner are given again.
ALTER TABLE runner_tasks ADD COLUMN heard INTEGER NOT NULL DEFAULT 1 CHECK (heard IN (0, 1)); -- whether the runner said anything about it

-- The key of the request that it answered, when the runner sends one.
ALTER TABLE runner_tasks ADD COLUMN request_key TEXT;

CREATE INDEX runner_tasks_unheard ON runner_tasks (runner_id) WHERE heard = 0;
