import { eitherAs } from '#core/access.ts'
import { reaches } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { byPage, windowOf } from '#core/page.ts'
import { Nullable, RepoPath, Time, Type, WorkspaceSlug } from '#core/schema.ts'
import { findPull } from '#features/pulls/index.ts'
import { fullName } from '#features/repos/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { agentRecord, agentStateOf } from './agent-record.ts'
import { Agent } from './schema.ts'
import {
  costOfAgentsSince,
  findLastStep,
  listRunningAgents,
  listRunningAgentsIn,
  type AgentRow,
} from './store.ts'

const SIZES = { size: 20 }
/** The states of so many agents are compared for their order. Older ones come after them. */
const MAX_RANKED = 1000
const COST_DAYS = 30
const MAX_STEP_CHARS = 200
/** Those that need a person come first. */
const ORDER: Readonly<Record<Agent['state'], number>> = {
  waiting: 0,
  working: 1,
  idle: 2,
  stopped: 3,
  finished: 3,
}

/** The rows in the order of the page, and how many of them wait for a person. */
function rankAgents(hearth: Hearth, rows: readonly AgentRow[]) {
  const ranked = rows
    .slice(0, MAX_RANKED)
    .map((row) => ({ row, rank: ORDER[agentStateOf(hearth, row)] }))
    .sort((a, b) => a.rank - b.rank || (a.row.id < b.row.id ? 1 : -1))
  return {
    rows: [...ranked.map(({ row }) => row), ...rows.slice(MAX_RANKED)],
    waiting: ranked.filter(({ rank }) => rank === ORDER.waiting).length,
  }
}

/** What an agent that runs does now. */
function shownAgent(hearth: Hearth, row: AgentRow) {
  const { db } = hearth
  const step = findLastStep(db, row)
  const line = step?.text.split('\n')[0] ?? ''
  const tool = step?.tool ?? ''
  // The built-in agent begins its lines with the tool.
  const text = line.startsWith(tool) ? line : `${tool} ${line}`.trim()
  return {
    agent: agentRecord(hearth, row),
    title:
      row.pull_number === null ? null : (findPull(db, row.repo_id, row.pull_number)?.title ?? null),
    step: step && text ? { text: text.slice(0, MAX_STEP_CHARS), at: step.at } : null,
  }
}

const { page, per_page } = byPage(SIZES)

/** For the page of agents: what each one that runs does, costs and waits for. */
export const getAgentOverview = operation({
  name: 'get_agent_overview',
  summary:
    'The agents that run in a repository, or in the repositories of a workspace where you have Maintain, with the last step of each and what they cost.',
  route: null,
  tool: false,
  access: eitherAs('maintain', 'member', { scope: 'access:admin' }),
  input: Type.Object({
    repo: Type.Optional(RepoPath),
    workspace: Type.Optional(WorkspaceSlug),
    page,
    per_page,
  }),
  output: Type.Object({
    agents: Type.Array(
      Type.Object({
        agent: Agent,
        title: Nullable(Type.String({ description: 'Of its pull request.' })),
        step: Nullable(Type.Object({ text: Type.String(), at: Time })),
      }),
    ),
    next: Nullable(Type.String()),
    total: Type.Integer({ description: 'How many run.' }),
    waiting: Type.Integer({ description: 'How many wait for a person.' }),
    repos: Type.Array(RepoPath, { description: 'In which they run.' }),
    cost_usd: Type.Number({ description: `Of agents that were started in ${COST_DAYS} days.` }),
  }),

  handler: ({ hearth, db, caller, repo, workspace, now, now_ms }, input) => {
    const { limit, offset, page: number } = windowOf(input, SIZES)
    const since = timestamp(now_ms - COST_DAYS * DAY)
    const mayManage = (repo_id: string): boolean =>
      reaches(hearth.facts.repo(fullName(db, repo_id), caller)?.role ?? null, 'maintain')
    const all =
      repo !== null
        ? listRunningAgents(db, repo.id, now)
        : listRunningAgentsIn(db, workspace?.id ?? '', now)
    const repos = [...new Set(all.map(({ repo_id }) => repo_id))].filter(
      (id) => id === repo?.id || mayManage(id),
    )
    const { rows, waiting } = rankAgents(
      hearth,
      all.filter(({ repo_id }) => repos.includes(repo_id)),
    )
    return {
      agents: rows.slice(offset, offset + limit).map((row) => shownAgent(hearth, row)),
      next: rows.length > offset + limit ? String(number + 1) : null,
      total: rows.length,
      waiting,
      repos: repos.map((id) => fullName(db, id)),
      cost_usd: costOfAgentsSince(db, repo === null ? repos : [repo.id], since),
    }
  },
})
