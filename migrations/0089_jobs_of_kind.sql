-- While the queue of a kind is full, the next job of other kinds is found without reading the jobs of that kind, which may be
-- hundreds of thousands.
CREATE INDEX jobs_due_of_kind ON jobs (kind, run_at, id) WHERE state = 'waiting';
