import { getSiteStatus, type SiteStatus } from '#features/site/index.ts'
import { Card, Facts } from '../../components/card.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge, type Tone } from '../../components/state.tsx'
import { bytesText, formatNumber } from '../../format.ts'
import { page } from '../../site.ts'
import { AdminFrame } from './frame.tsx'
import { jobName } from './job-names.ts'
import { rich, t, texts, tn } from '../../text.ts'
import { translateMessage } from '../../messages.ts'

type Condition = SiteStatus['conditions'][number]

const TONES: Record<Condition['state'], Tone> = {
  ok: 'good',
  attention: 'wait',
  failing: 'bad',
  off: 'plain',
}
const STATE_LABELS: Record<Condition['state'], string> = texts({
  ok: 'Passed',
  attention: 'Needs attention',
  failing: 'Failed',
  off: 'Off',
})
const ORDER: Record<Condition['state'], number> = { failing: 0, attention: 1, off: 2, ok: 3 }

const PARTS: Readonly<Record<string, string>> = texts({
  backups: 'Backups',
  checks: 'Checks',
  encryption: 'Encryption',
  jobs: 'Jobs',
  mail: 'Mail',
  notifications: 'Notifications',
})

const title = (name: string): string => PARTS[name] ?? name.charAt(0).toUpperCase() + name.slice(1)

const ConditionRow = ({ condition: { name, state, detail, href } }: { condition: Condition }) => (
  <Row
    title={
      href === null ? (
        <span class="strong">{title(name)}</span>
      ) : (
        <a class="strong" href={href}>
          {title(name)}
        </a>
      )
    }
    meta={<span>{translateMessage(detail)}</span>}
    end={<Badge tone={TONES[state]}>{STATE_LABELS[state]}</Badge>}
  />
)

const uptime = (seconds: number): string => {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor((seconds % 86_400) / 3600),
    Math.floor((seconds % 3600) / 60),
  ]
  return days > 0
    ? `${tn('{count} day', '{count} days', days)}, ${tn('{count} hour', '{count} hours', hours)}`
    : hours > 0
      ? `${tn('{count} hour', '{count} hours', hours)}, ${tn('{count} minute', '{count} minutes', minutes)}`
      : minutes > 0
        ? tn('{count} minute', '{count} minutes', minutes)
        : t('less than a minute')
}

const InstallationCard = ({
  counts,
  database,
  disk,
  git,
  status,
}: {
  counts: SiteStatus['counts']
  database: SiteStatus['database']
  disk: SiteStatus['disk']
  git: SiteStatus['git']
  status: SiteStatus
}) => (
  <Card title={t('The installation')}>
    <Facts
      facts={[
        { label: t('Release'), value: status.version },
        { label: t('Address'), value: status.site_url },
        { label: t('Running for'), value: uptime(status.uptime_seconds) },
        {
          label: t('Contents'),
          value: `${tn('{count} account', '{count} accounts', counts.users)}, ${tn('{count} workspace', '{count} workspaces', counts.workspaces)}, ${tn('{count} repository', '{count} repositories', counts.repositories)}`,
        },
        { label: t('Memory in use'), value: bytesText(status.memory_bytes) },
        {
          label: t('Database'),
          value: t('{bytes}, and {log} of log; schema {schema}', {
            bytes: bytesText(database.bytes),
            log: bytesText(database.wal_bytes),
            schema: database.migration ?? t('none'),
          }),
        },
        {
          label: t('Git operations'),
          value: [
            tn('{count} heavy operation', '{count} heavy operations', git.running),
            ...(git.waiting > 0
              ? [t('{count} waiting', { count: formatNumber(git.waiting) })]
              : []),
          ].join(', '),
        },
        {
          label: t('Disk'),
          value: t('{free} free of {size}', {
            free: bytesText(disk.free_bytes),
            size: bytesText(disk.size_bytes),
          }),
        },
      ]}
    />
  </Card>
)

const JobKinds = ({ active }: { active: SiteStatus['queues'] }) => (
  <List label={t('Background jobs by kind')}>
    {[...active]
      .sort((a, b) => b.failed - a.failed || b.running - a.running)
      .map((queue) => (
        <Row
          title={
            <a href={`/admin/jobs?kind=${encodeURIComponent(queue.kind)}`}>{jobName(queue.kind)}</a>
          }
          end={
            <span class="muted small">
              {[
                [queue.failed, t('failed')],
                [queue.running, t('running')],
                [queue.waiting, t('waiting')],
              ]
                .filter(([count]) => count !== 0)
                .map(([count, word]) => `${formatNumber(Number(count))} ${word}`)
                .join(', ')}
            </span>
          }
        />
      ))}
  </List>
)

const RecurringKinds = ({ resting }: { resting: SiteStatus['queues'] }) => (
  <details class="more">
    <summary>
      {rich('{kinds} of recurring jobs, idle now', {
        kinds: tn('{count} kind', '{count} kinds', resting.length),
      })}
    </summary>
    <List label={t('Recurring jobs')}>
      {resting.map(({ kind, every }) => (
        <Row
          title={<a href={`/admin/jobs?kind=${encodeURIComponent(kind)}`}>{jobName(kind)}</a>}
          end={<span class="muted small">{rich('every {every}', { every })}</span>}
        />
      ))}
    </List>
  </details>
)

export const adminPage = page({
  path: '/admin',
  load: (visit) => visit.call(getSiteStatus, {}),
  view: (status, visit) => {
    const { counts, database, disk, git, queues } = status
    const active = queues.filter(
      (queue) => queue.every === null || queue.failed > 0 || queue.running > 0,
    )
    const resting = queues.filter((queue) => !active.includes(queue))
    return (
      <AdminFrame visit={visit} title={t('Status')} lead={t('The state of this installation now.')}>
        <List label={t('Parts')}>
          {[...status.conditions]
            .sort((a, b) => ORDER[a.state] - ORDER[b.state])
            .map((condition) => (
              <ConditionRow condition={condition} />
            ))}
        </List>
        {!disk.writable && (
          <p class="notice notice-bad">
            {t('The disk is nearly full: changes are refused until there is room again.')}
          </p>
        )}
        <InstallationCard
          counts={counts}
          database={database}
          disk={disk}
          git={git}
          status={status}
        />
        <h2>{t('Background jobs')}</h2>
        {active.length === 0 && <p class="muted">{t('No jobs are running.')}</p>}
        {active.length > 0 && <JobKinds active={active} />}
        {resting.length > 0 && <RecurringKinds resting={resting} />}
      </AdminFrame>
    )
  },
})
