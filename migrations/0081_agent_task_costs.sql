-- What the calls of an agent for one task have cost, which is read before each of its calls. A sum
-- over the calls grew with them.
CREATE TABLE agent_task_costs (
  agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  task TEXT NOT NULL,
  -- Millionths of a US dollar.
  cost INTEGER NOT NULL CHECK (cost >= 0),
  PRIMARY KEY (agent_id, task)
) STRICT, WITHOUT ROWID;

INSERT INTO agent_task_costs (agent_id, task, cost)
  SELECT actor_id, task, sum(cost) FROM model_calls
  WHERE actor_id IN (SELECT id FROM agents) GROUP BY actor_id, task;

DROP INDEX model_calls_of_actor;
-- model_calls_of_workspace_by_time finds the calls of a workspace as well.
DROP INDEX model_calls_of_workspace;
