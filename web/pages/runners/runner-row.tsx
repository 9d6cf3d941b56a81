// One runner: its state, labels and version.
import type { Runner } from '#features/runners/index.ts'
import {
  ActionButton,
  Badge,
  Button,
  Chip,
  Icon,
  RelativeTime,
  Row,
  type Tone,
} from '../../components/index.ts'
import { localized, rich, t } from '../../text.ts'

type State = { readonly tone: Tone; readonly label: string }

const STATES: Readonly<Record<Runner['state'], State>> = localized({
  online: { tone: 'good', label: 'Idle' },
  busy: { tone: 'wait', label: 'Busy' },
  offline: { tone: 'plain', label: 'Offline' },
} as const)

/** Versions before 1.0 of Gitea's runner refuse actions for Node 24, as checkout is today. */
const isOutdated = ({ version }: Runner): boolean => /^v?0\./.test(version ?? '')

const StateBadge = ({ runner }: { runner: Runner }) => {
  const { tone, label } = STATES[runner.state]
  return runner.version === null ? (
    <Badge tone="plain">{t('Not registered yet')}</Badge>
  ) : (
    <Badge tone={tone}>{label}</Badge>
  )
}

const Facts = ({ runner }: { runner: Runner }) => (
  <>
    {runner.version !== null && runner.version !== '' && (
      <span>{t('Version {version}', { version: runner.version })}</span>
    )}
    {isOutdated(runner) && (
      <span>{t('Update it: actions for Node 24 fail with this version')}</span>
    )}
    {runner.ephemeral && <span>{t('Removed after one job')}</span>}
    {runner.accepts_untrusted && <span>{t('Runs changes from outside')}</span>}
    <span>
      {runner.last_seen_at === null
        ? rich('Added {time}', { time: <RelativeTime at={runner.created_at} /> })
        : rich('Last seen {time}', { time: <RelativeTime at={runner.last_seen_at} /> })}
    </span>
  </>
)

export const RunnerRow = ({
  runner,
  action,
  csrf,
}: {
  runner: Runner
  action: string
  csrf: string
}) => (
  <Row
    mark={<Icon name="activity" />}
    title={
      <>
        <strong>{runner.name}</strong> <StateBadge runner={runner} />
        {runner.labels.map((label) => (
          <Chip>{label}</Chip>
        ))}
      </>
    }
    meta={<Facts runner={runner} />}
    end={
      <ActionButton action={action} csrf={csrf} values={{ id: runner.id }}>
        <Button small variant="danger" label={t('Remove the runner {name}', { name: runner.name })}>
          {t('Remove')}
        </Button>
      </ActionButton>
    }
  />
)
