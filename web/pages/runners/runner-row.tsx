// One runner: its state, labels and version.
import type { Runner } from '#features/runners/index.ts'
import {
  ActionButton,
  Badge,
  Button,
  Chip,
  firstItems,
  htmlBytes,
  Icon,
  RelativeTime,
  Row,
  type Tone,
} from '../../components/index.ts'
import { localized, rich, t, tn } from '../../text.ts'

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

/** What a row shows of the labels, unless the address asks for all of them. */
const MAX_LABELS_BYTES = 900
const LABEL_BYTES = 30

const RunnerLabels = ({ labels, href }: { labels: readonly string[]; href: string | null }) => {
  const shown =
    href === null
      ? labels
      : firstItems(labels, MAX_LABELS_BYTES, (label) => LABEL_BYTES + htmlBytes(label))
  return (
    <>
      {shown.map((label) => (
        <Chip>{label}</Chip>
      ))}
      {href !== null && shown.length < labels.length && (
        <a class="small" href={href}>
          {tn('{count} more label', '{count} more labels', labels.length - shown.length)}
        </a>
      )}
    </>
  )
}

export const RunnerRow = ({
  runner,
  action,
  csrf,
  wholeHref,
}: {
  runner: Runner
  action: string
  csrf: string
  /** The address that shows all labels; null when it is the present one. */
  wholeHref: string | null
}) => (
  <Row
    id={runner.id}
    mark={<Icon name="activity" />}
    title={
      <>
        <strong>{runner.name}</strong> <StateBadge runner={runner} />
        <RunnerLabels labels={runner.labels} href={wholeHref} />
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
