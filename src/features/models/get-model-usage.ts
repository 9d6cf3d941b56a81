import { operation } from '#core/operation.ts'
import { OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import { findPullById } from '#features/pulls/index.ts'
import { fullName } from '#features/repos/index.ts'
import { readsWorkspaceAsOwner } from '#features/workspaces/index.ts'
import type { Hearth } from '#core/hearth.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { toUsd } from './money.ts'
import { ModelUsage, USAGE_GROUPS, type UsageGroup, type UsageRow } from './schema.ts'
import { sumUsage, totalUsage, type UsageSum } from './store-usage.ts'

const MAX_DAYS = 90
const DEFAULT_DAYS = 30
const MAX_ROWS = 100

export const getModelUsage = operation({
  name: 'get_model_usage',
  summary:
    'Get what the models of a workspace have cost in the last days, by day, agent (or person), pull request, task or model. Owners only.',
  keywords: ['LLM costs', 'token usage', 'spending', 'bill', 'cost of agents'],
  route: 'GET /workspaces/{workspace}/model-usage',
  toolset: 'integrations',
  access: readsWorkspaceAsOwner({ scope: 'workspace:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    by: Type.Optional(OneOf(USAGE_GROUPS, { description: 'day unless given.' })),
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_DAYS,
        description: `So many days, today (UTC) included; ${DEFAULT_DAYS} unless given.`,
      }),
    ),
  }),
  output: ModelUsage,

  handler: ({ hearth, db, workspace, now_ms }, { by = 'day', days = DEFAULT_DAYS }) => {
    const today = Date.parse(timestamp(now_ms).slice(0, 10))
    const since = timestamp(today - (days - 1) * DAY)
    const rows = sumUsage(db, workspace.id, { by, since, limit: MAX_ROWS })
    const total = totalUsage(db, workspace.id, since)
    return {
      by,
      since,
      total: usageRow(hearth, 'day', total ?? NOTHING),
      rows: rows.map((row) => usageRow(hearth, by, row)),
    }
  },
})

const NOTHING: UsageSum = {
  key: null,
  calls: 0,
  estimated: 0,
  unpriced: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost: 0,
}

const nameOf = (hearth: Hearth, by: UsageGroup, key: string | null): string | null => {
  if (key === null || by === 'day' || by === 'task' || by === 'model') return key
  if (by === 'agent') return actorOf(hearth, key).username
  const pull = findPullById(hearth.db, key)
  return pull && `${fullName(hearth.db, pull.repo_id)}#${pull.number}`
}

const usageRow = (hearth: Hearth, by: UsageGroup, { key, ...sum }: UsageSum): UsageRow => ({
  key,
  name: nameOf(hearth, by, key),
  calls: sum.calls,
  estimated_calls: sum.estimated,
  unpriced_calls: sum.unpriced,
  input_tokens: sum.input_tokens,
  output_tokens: sum.output_tokens,
  cost_usd: sum.calls > 0 && sum.unpriced === sum.calls ? null : toUsd(sum.cost),
})
