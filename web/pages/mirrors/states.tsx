// Who leads, in one sentence.
import type { Mirror } from '#features/mirrors/index.ts'
import { ActorLink, Badge, RelativeTime, type IconName, type Tone } from '../../components/index.ts'
import { rich, t, texts } from '../../text.ts'

const LABELS = texts({
  setting_up: 'Setting up',
  standing_by: 'Standing by',
  ci_failover: 'CI failover',
  takeover: 'Takeover',
  handing_back: 'Handing back',
  following: 'Following',
  diverged: 'Diverged',
  paused: 'Paused',
  failed: 'Failed',
} as const)

const STYLES: Readonly<Record<Mirror['state'], readonly [IconName, Tone]>> = {
  setting_up: ['refresh', 'wait'],
  standing_by: ['check', 'good'],
  ci_failover: ['caution', 'wait'],
  takeover: ['caution', 'wait'],
  handing_back: ['refresh', 'wait'],
  following: ['check', 'good'],
  diverged: ['caution', 'bad'],
  paused: ['clock', 'plain'],
  failed: ['close', 'bad'],
}

export const MirrorBadge = ({ state }: { state: Mirror['state'] }) => {
  const [icon, tone] = STYLES[state]
  return (
    <Badge icon={icon} tone={tone}>
      {LABELS[state]}
    </Badge>
  )
}

/** Says which side leads, since when and why. */
export const LeadSentence = ({ mirror, now }: { mirror: Mirror; now: number }) => {
  const name = <b>{mirror.name}</b>
  const since = <RelativeTime at={mirror.state_since} now={now} />
  switch (mirror.state) {
    case 'setting_up':
      return rich('{name} leads. Its branches and tags are being copied, since {since}.', {
        name,
        since,
      })
    case 'standing_by':
      return rich('{name} leads, since {since}. This repository follows it: push there.', {
        name,
        since,
      })
    case 'ci_failover':
      if (mirror.checks_silent)
        return rich(
          '{name} leads, but its checks have reported nothing for half an hour. Since {since} workflows run here: push there.',
          { name, since },
        )
      return rich(
        '{name} leads, but cannot be reached, since {since}. Pushes are refused here until somebody takes over.',
        { name, since },
      )
    case 'takeover':
      return mirror.state_by === null
        ? rich(
            'This service leads, since {since}. It took over by itself, because {name} could not be reached.',
            { name, since },
          )
        : rich('This service leads, since {since}. {actor} took over from {name}.', {
            name,
            since,
            actor: <ActorLink of={mirror.state_by} face={false} />,
          })
    case 'handing_back':
      return rich('{name} gets the lead back. Pushes wait until that is done.', { name })
    case 'following':
      return rich('This service leads. {name} gets every push.', { name })
    case 'diverged':
      return rich(
        'This service leads. {name} has commits that this repository does not have, so those branches are no longer pushed.',
        { name },
      )
    case 'paused':
      return rich('{name} is paused, since {since}. Nothing is fetched or pushed.', { name, since })
    case 'failed':
      return rich('{name} could not be copied. Correct its address or token, or try again.', {
        name,
      })
  }
}

export const ACTIONS = texts({
  unchanged: 'Equal',
  push: 'Push to the remote',
  fetch: 'Take from the remote',
  create: 'Create on the remote',
  delete: 'Delete on the remote',
  conflict: 'Conflict',
} as const)

export const roleText = (mirror: Mirror): string =>
  mirror.role === 'leader'
    ? t('Leader: fetched from, until this service takes over')
    : t('Follower: pushed to')
