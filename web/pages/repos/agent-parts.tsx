// Parts of the rows of agents, of those at work and of those that have ended.
import type { Agent } from '#features/agents/index.ts'
import { ActorLink, Avatar, Badge, RelativeTime } from '../../components/index.ts'
import { formatCost } from '../../format.ts'
import { rich, t } from '../../text.ts'
import { agentStateStyle } from './agent-state.ts'

export const AgentFace = ({ agent }: { agent: Agent }) => (
  <Avatar of={{ username: `${agent.owner.username}/${agent.name}`, kind: 'agent' }} size={32} />
)

export const AgentStateBadge = ({ agent }: { agent: Agent }) => {
  const { tone, label } = agentStateStyle(agent)
  if (agent.queued_before === null) return <Badge tone={tone}>{label}</Badge>
  return (
    <Badge tone="plain">
      {agent.queued_before === 0
        ? t('Queued')
        : t('Queued, {count} before it', { count: agent.queued_before })}
    </Badge>
  )
}

/** When an agent was stopped, by whom and why. */
export const StoppedNote = ({
  stopped: { at, by, reason },
}: {
  stopped: NonNullable<Agent['stopped']>
}) =>
  rich('Stopped {time}{by}{reason}', {
    time: <RelativeTime at={at} />,
    by: by && <> {rich('by {actor}', { actor: <ActorLink of={by} face={false} /> })}</>,
    reason: reason && `: ${reason === 'cost_cap' ? t('it reached its limit') : reason}`,
  })

/** What an agent has cost, and its limit when it has one. */
export const costOfAgent = ({ cost_usd, max_usd }: Agent): string =>
  max_usd === null
    ? formatCost(cost_usd)
    : formatCost(cost_usd) + t(' of {max_usd}', { max_usd: formatCost(max_usd) })
