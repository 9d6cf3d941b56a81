-- What an actor has spent is read before each of its calls, so the index holds the cost.
DROP INDEX model_calls_of_actor;
CREATE INDEX model_calls_of_actor ON model_calls (actor_id, task, cost);
