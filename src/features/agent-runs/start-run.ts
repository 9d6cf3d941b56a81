/** Starts the built-in agent on an issue. */
import type { RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import { missingScope } from '#core/scopes.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { BUILT_IN_AGENT, requireMayStartAgents, startBuiltInAgent } from '#features/agents/index.ts'
import { findIssue } from '#features/issues/index.ts'
import { MODEL_TASKS, requireRoute } from '#features/models/index.ts'
import {
  findPullById,
  openAgentDraft,
  type AgentAssignment,
  type StartedAgent,
} from '#features/pulls/index.ts'
import { conflict, forbidden, invalid } from '#lib/errors.ts'
import { firstTurn } from './prompt.ts'
import { requireProgram } from './program/require-program.ts'
import { addEntries } from './session-entries.ts'
import { insertRun, insertTurn, listActiveRunsOf } from './store.ts'
import { workAgent } from './work-agent.ts'

/** The person that the agent acts for. */
function personOf(tx: Tx, caller: SignedIn): { id: string; username: string } {
  if (caller.kind === 'workspace')
    throw forbidden('person_required', 'the built-in agent acts for a person; use a personal token')
  const id = caller.kind === 'agent' ? caller.owner_id : caller.id
  return { id, username: actorOf(tx.hearth, id).username }
}

/** Throws 409 `in_progress` while the agent works on a draft of this issue. */
function requireIdle(tx: Tx, repo_id: string, issue: number): void {
  for (const run of listActiveRunsOf(tx.db, repo_id, issue)) {
    const pull = findPullById(tx.db, run.pull_id)
    if (pull?.status === 'draft')
      throw conflict('in_progress', `the agent works on #${issue} already, in #${pull.number}`, {
        number: pull.number,
      })
  }
}

/** The extension of `agentAssignments`. */
export function startRun(tx: Tx, assignment: AgentAssignment): StartedAgent {
  const { repo, caller, issue: number, instructions, max_usd, program } = assignment
  const task = MODEL_TASKS.find((name) => name === assignment.task)
  if (task === undefined)
    throw invalid('agent', `agent is one of ${MODEL_TASKS.join(', ')}, whose model is used`)
  const route = requireRoute(tx.db, repo.workspace_id, task)
  requireMayStartAgents(tx.hearth, tx.db, caller)
  requireIdle(tx, repo.id, number)
  if (program !== null) requireProgram(tx.db, program)
  const agent = program ?? BUILT_IN_AGENT
  const owner = personOf(tx, caller)
  const pull = openAgentDraft(tx, { repo, caller }, { issue: number, agent })
  const issue = findIssue(tx.db, repo.id, number)
  if (!issue) throw new TypeError(`there is no issue #${number}`)
  const agent_id = startBuiltInAgent(tx, {
    repo_id: repo.id,
    owner,
    pull_number: pull.number,
    model: route.model,
    max_usd,
    name: agent,
  })
  insertRun(tx, { agent_id, repo_id: repo.id, pull_id: pull.id, issue: number, task, program })
  insertTurn(tx, agent_id, 'user', firstTurn(issue, instructions, agent_id))
  addEntries(tx, { pull_id: pull.id, author_id: owner.id }, [
    {
      kind: 'message',
      text: `Assigned #${number} to ${program ?? 'the built-in agent'}.${instructions === null ? '' : `\n\n${instructions}`}`,
      data: { role: 'user' },
    },
  ])
  tx.enqueue(workAgent, { agent_id }, { key: agent_id })
  return { agent_id, pull: findPullById(tx.db, pull.id) ?? pull }
}

/** The extension of `builtInAssignees`: what `assign_issue` does, with its rights. */
export function startAsAssignee(
  tx: Tx,
  repo: RepoGrant,
  issue: number,
  program: string | null,
): string {
  const { caller } = tx
  if (caller === null || caller.kind === 'anonymous')
    throw new TypeError('nobody has assigned the issue')
  repo.require('write')
  const scope = missingScope(caller.token?.scopes ?? null, 'pulls:write')
  if (scope !== null) throw forbidden('scope', `this token lacks the scope ${scope}`, { scope })
  return startRun(tx, {
    repo,
    caller,
    issue,
    task: 'code',
    instructions: null,
    max_usd: null,
    program,
  }).agent_id
}
