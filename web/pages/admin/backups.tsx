// Backups of the whole installation: the existing ones, the one in progress, the schedule.
import type { Settings } from '#core/settings.ts'
import { createBackup, listBackups, verifyBackup, type Backup } from '#features/backups/index.ts'
import { Button } from '../../components/button.tsx'
import { Card, EmptyState, Facts } from '../../components/card.tsx'
import { ActionButton, Field, Form, FormActions } from '../../components/form.tsx'
import { Notice } from '../../components/index.ts'
import { List, Row } from '../../components/rows.tsx'
import { Badge, Chip, type Tone } from '../../components/state.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { bytesText, formatNumber } from '../../format.ts'
import type { Child } from '../../jsx/html.ts'
import { action, redirectWithFlash, page, type Visit } from '../../site.ts'
import { pageOfRows, RowSteps } from '../row-form.tsx'
import { AdminFrame } from './frame.tsx'
import { rich, t, texts, tn } from '../../text.ts'

const PATH = '/admin/backups'
const PER_PAGE = 30
const TONES: Record<Backup['state'], Tone> = {
  queued: 'wait',
  running: 'wait',
  done: 'good',
  failed: 'bad',
}
const WORDS: Record<Backup['state'], string> = texts({
  queued: 'waiting',
  running: 'in progress',
  done: 'created',
  failed: 'failed',
})
const PHASES: Record<string, string> = texts({
  snapshot: 'Copying the database',
  copying: 'Copying',
  checking: 'Reading',
  restoring: 'Restoring a copy',
  examining: 'Examining the copy',
})

const spanText = (ms: number): string => {
  const hours = Math.round(ms / 3_600_000)
  return hours >= 48 && hours % 24 === 0
    ? tn('every {count} day', 'every {count} days', hours / 24)
    : hours >= 1
      ? hours === 1
        ? t('every hour')
        : tn('every {count} hour', 'every {count} hours', hours)
      : tn('every {count} minute', 'every {count} minutes', Math.round(ms / 60_000))
}

const Progress = ({ progress }: { progress: NonNullable<Backup['progress']> }) => (
  <span>
    {PHASES[progress.phase] ?? progress.phase}
    {progress.files_total > 0 &&
      t(': {files_done} of {files}', {
        files_done: formatNumber(progress.files_done),
        files: tn('{count} file', '{count} files', progress.files_total),
      })}
    {progress.bytes_total > 0 &&
      t(', {bytes_done} of {bytes_total}', {
        bytes_done: bytesText(progress.bytes_done),
        bytes_total: bytesText(progress.bytes_total),
      })}
  </span>
)

const Proof = ({ verification }: { verification: NonNullable<Backup['verification']> }) => {
  const { state, by, at } = verification
  if (state === 'queued' || state === 'running')
    return <Badge tone="wait">{t('being verified')}</Badge>
  return (
    <>
      <Badge tone={state === 'passed' ? 'good' : 'bad'}>
        {state === 'passed'
          ? by === 'sums'
            ? t('checksums match')
            : t('restore verified')
          : t('damaged')}
      </Badge>
      {at !== null && <span>{rich('verified {time}', { time: <RelativeTime at={at} /> })}</span>}
    </>
  )
}

const BackupMeta = ({
  backup,
  verification,
}: {
  backup: Backup
  verification: Backup['verification']
}) => (
  <>
    <Badge tone={TONES[backup.state]}>{WORDS[backup.state]}</Badge>
    {backup.name !== null && <RelativeTime at={backup.started_at ?? backup.created_at} />}
    {backup.progress && <Progress progress={backup.progress} />}
    {verification && <Proof verification={verification} />}
    {backup.repositories !== null && (
      <span>{tn('{count} repository', '{count} repositories', backup.repositories)}</span>
    )}
    {backup.bytes !== null && (
      <span>
        {rich('{bytes}, of which {added_bytes} were new', {
          bytes: bytesText(backup.bytes),
          added_bytes: bytesText(backup.added_bytes ?? 0),
        })}
      </span>
    )}
    {backup.encrypted && <Chip icon="lock">{t('encrypted')}</Chip>}
    <span>
      {backup.scheduled
        ? t('by schedule')
        : backup.created_by
          ? t('by {username}', { username: backup.created_by.username })
          : t('from the command line')}
    </span>
  </>
)

const BackupRow = ({ backup, visit }: { backup: Backup; visit: Visit }) => {
  const { verification } = backup
  const idle =
    verification === null || verification.state === 'passed' || verification.state === 'failed'
  const problems = [
    ...(backup.error === null ? [] : [backup.error]),
    ...(verification?.findings ?? []),
    ...backup.notes,
  ]
  return (
    <Row
      title={
        <>
          <span class="strong">
            {backup.name ?? <RelativeTime at={backup.started_at ?? backup.created_at} />}
          </span>{' '}
          <code class="muted">{backup.id}</code>
        </>
      }
      meta={<BackupMeta backup={backup} verification={verification} />}
      end={
        backup.state === 'done' && idle ? (
          <ActionButton action={`${PATH}/verify`} csrf={visit.csrf} values={{ id: backup.id }}>
            <Button small>{t('Verify')}</Button>
          </ActionButton>
        ) : undefined
      }
    >
      {problems.length === 1 && <p class="small">{problems[0]}</p>}
      {problems.length > 1 && (
        <details class="more" open={backup.state === 'failed'}>
          <summary>{tn('{count} remark', '{count} remarks', problems.length)}</summary>
          <ul>
            {problems.map((problem) => (
              <li>{problem}</li>
            ))}
          </ul>
        </details>
      )}
    </Row>
  )
}

const neverSet = (setting: string): Child =>
  rich('Never. Set {setting} in the <a>settings</a>.', {
    setting: <code>{setting}</code>,
    a: (inner) => <a href="/admin/settings">{inner}</a>,
  })

const BackupPlan = ({
  data,
  keep,
  plan,
}: {
  data: string
  keep: Settings['backups']['keep']
  plan: Settings['backups']
}) => (
  <Card title={t('Backup settings')}>
    <Facts
      facts={[
        { label: t('Where'), value: <code>{plan.to ?? `${data}/backups`}</code> },
        {
          label: t('Schedule'),
          value: plan.every_ms === null ? neverSet('backups.every') : spanText(plan.every_ms),
        },
        {
          label: t('Verification schedule'),
          value:
            plan.verify_every_ms === null
              ? neverSet('backups.verify_every')
              : spanText(plan.verify_every_ms),
        },
        {
          label: t('Retention'),
          value: t(
            'The last {last}; one a day ({daily}), a week ({weekly}) and a month ({monthly}); and every one with a name',
            keep,
          ),
        },
        {
          label: t('Encrypted'),
          value:
            plan.recipients.length > 0
              ? tn(
                  'To {count} key, with the installation key and {file}',
                  'To {count} keys, with the installation key and {file}',
                  plan.recipients.length,
                  { file: 'hearth.toml' },
                )
              : t('No. Backups therefore lack the installation key and {file}. Set {setting}', {
                  file: 'hearth.toml',
                  setting: 'backups.recipients',
                }),
        },
      ]}
    />
  </Card>
)

const BackUpNow = ({ visit, busy }: { visit: Visit; busy: boolean }) => (
  <Card title={t('Back up now')}>
    <Form
      action={PATH}
      csrf={visit.csrf}
      label={t('Back up now')}
      error={visit.form.error?.field === null ? visit.form.error.message : undefined}
    >
      <Field
        name="name"
        label={t('Name')}
        maxlength={100}
        value={visit.form.values.text('name')}
        error={visit.form.error?.field === 'name' ? visit.form.error.message : undefined}
        hint={t(
          'Left empty, the schedule removes it. One with a name is kept until you remove it with hearth backup remove.',
        )}
      />
      <FormActions>
        <Button variant="primary" disabled={busy}>
          {t('Back up now')}
        </Button>
      </FormActions>
    </Form>
  </Card>
)

export const backupsPage = page({
  path: PATH,
  load: async (visit) => ({
    backups: await visit.call(listBackups, {}),
    settings: visit.hearth.settings,
  }),
  view: ({ backups, settings: { backups: plan, data } }, visit) => {
    const busy = backups.some(({ state }) => state === 'queued' || state === 'running')
    const { keep } = plan
    const list = pageOfRows(visit, backups, PER_PAGE)
    return (
      <AdminFrame
        visit={visit}
        title={t('Backups')}
        lead={t(
          'Copies of the whole forge, made while it runs: the database, every repository, every file.',
        )}
      >
        {plan.to === null && (
          <Notice kind="wait" title={t('Backups go to the disk that the forge is on')}>
            <p>
              {rich(
                'If that disk is lost, so are they. Set {code} to another one, or to a bucket.',
                { code: <code>backups.to</code> },
              )}
            </p>
          </Notice>
        )}
        <BackupPlan data={data} keep={keep} plan={plan} />
        <BackUpNow visit={visit} busy={busy} />
        {backups.length === 0 ? (
          <EmptyState icon="download" title={t('There is no backup yet')}>
            {t('Until there is one, everything is lost with this disk.')}
          </EmptyState>
        ) : (
          <List label={t('Backups')}>
            {list.items.map((backup) => (
              <BackupRow backup={backup} visit={visit} />
            ))}
          </List>
        )}
        <RowSteps list={list} here={PATH} label={t('Pages of backups')} />
      </AdminFrame>
    )
  },
})

export const backupForms = [
  action({
    path: PATH,
    page: backupsPage,
    submit: async (visit, fields) => {
      await visit.call(createBackup, { name: fields.optional('name') })
      return redirectWithFlash(visit, PATH, 'backup-begun')
    },
  }),
  action({
    path: `${PATH}/verify`,
    submit: async (visit, fields) => {
      await visit.call(verifyBackup, { id: fields.text('id') })
      return redirectWithFlash(visit, PATH, 'verification-begun')
    },
  }),
]
