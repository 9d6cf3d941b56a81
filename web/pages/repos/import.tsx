// The progress of an import, and what to do after a failure.
import { cancelImport, getRepoImport, retryImport, type Import } from '#features/imports/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  ActionButton,
  Button,
  Card,
  EmptyState,
  Facts,
  Field,
  Form,
  FormActions,
  LinkButton,
  Notice,
  RelativeTime,
} from '../../components/index.ts'
import { bytesText, formatNumber } from '../../format.ts'
import { repoPath } from '../../paths.ts'
import { action, redirect, type Visit } from '../../site.ts'
import { repoOf } from './frame.tsx'
import { rich, t, texts, tn } from '../../text.ts'

const PHASES: Record<Import['progress']['phase'], string> = texts({
  waiting: 'Queued',
  connecting: 'Reading refs',
  receiving: 'Receiving',
  checking: 'Checking every object',
  refs: 'Creating branches and tags',
  over: 'Done',
})

const ofTotal = (done: number, total: number, all: string): string =>
  total === 0 ? formatNumber(done) : t('{done} of {all}', { done: formatNumber(done), all })

const phaseOf = ({ state, progress }: Import): string =>
  state === 'waiting_for_limit'
    ? t('Waiting, because the other side asks for it')
    : PHASES[progress.phase]

const Progress = ({ copy, repo, visit }: { copy: Import; repo: Repo; visit: Visit }) => {
  const { progress, errors, resume_at } = copy
  return (
    <Card
      title={t('Copying')}
      actions={
        <ActionButton
          action={repoPath(repo.full_name, '/import/cancel')}
          csrf={visit.csrf}
          values={{ id: copy.id }}
        >
          <Button variant="danger" small>
            {t('Cancel')}
          </Button>
        </ActionButton>
      }
    >
      <Facts
        facts={[
          { label: t('From'), value: <code>{copy.url}</code> },
          { label: t('Now'), value: phaseOf(copy) },
          {
            label: t('Objects'),
            value: ofTotal(
              progress.received_objects,
              progress.total_objects,
              tn('{count} object', '{count} objects', progress.total_objects),
            ),
          },
          { label: t('Received'), value: bytesText(progress.received_bytes) },
          {
            label: t('Branches and tags'),
            value: ofTotal(
              progress.refs,
              progress.total_refs,
              tn('{count} ref', '{count} refs', progress.total_refs),
            ),
          },
          { label: t('Started'), value: <RelativeTime at={copy.created_at} /> },
        ]}
      />
      {errors.length > 0 && (
        <Notice kind="wait" title={t('The last attempt failed')}>
          <p>{errors.at(-1)}</p>
          {resume_at !== null && (
            <p>{rich('The next attempt is {time}.', { time: <RelativeTime at={resume_at} /> })}</p>
          )}
        </Notice>
      )}
    </Card>
  )
}

const Retry = ({ copy, repo, visit }: { copy: Import; repo: Repo; visit: Visit }) => (
  <Card title={t('Retry')}>
    <Form action={repoPath(repo.full_name, '/import/retry')} csrf={visit.csrf} label={t('Retry')}>
      <input type="hidden" name="id" value={copy.id} />
      <p class="muted">
        {rich('From {url} into this repository, while it is empty.', {
          url: <code>{copy.url}</code>,
        })}
      </p>
      <Field
        name="token"
        type="password"
        label={t('Access token')}
        autocomplete="off"
        maxlength={2000}
        hint={t('Only for a private repository: a token of the other side, or name:password.')}
      />
      <FormActions>
        <Button variant="primary">{t('Retry')}</Button>
      </FormActions>
    </Form>
  </Card>
)

/** Replaces the code of a repository while it is imported or after that failed. Null otherwise. */
export const ImportPart = ({
  copy,
  repo,
  visit,
}: {
  copy: Import | null
  repo: Repo
  visit: Visit
}) => {
  if (repo.state === 'importing') {
    return (
      <>
        <EmptyState
          icon="download"
          title={t('This repository is being copied')}
          actions={
            <LinkButton href={repoPath(repo.full_name)} icon="refresh">
              {t('Refresh')}
            </LinkButton>
          }
        >
          {t('Its branches show here as soon as everything has come. Nobody can push until then.')}
        </EmptyState>
        {copy && <Progress copy={copy} repo={repo} visit={visit} />}
      </>
    )
  }
  const failed = copy?.state === 'failed'
  if (repo.import_error === null && !failed && copy?.state !== 'cancelled') return null
  return (
    <>
      {copy?.state === 'cancelled' ? (
        <Notice title={t('The copy was cancelled')}>
          <p>{t('The repository is empty.')}</p>
        </Notice>
      ) : (
        <Notice kind="bad" title={t('The copy failed')}>
          <p>{repo.import_error ?? copy?.errors.at(-1)}</p>
        </Notice>
      )}
      {copy && <Retry copy={copy} repo={repo} visit={visit} />}
    </>
  )
}

/** The import form on the page of an empty repository. */
export const loadImport = (visit: Visit, repo: Repo): Promise<Import | null> =>
  visit.tryCall(getRepoImport, { repo: repo.full_name })

const cancelImportForm = action({
  path: '/:workspace/:repo/import/cancel',
  async submit(visit, fields) {
    try {
      await visit.call(cancelImport, { id: fields.text('id') })
    } catch (error) {
      // The import ended while the page was open: the page shows the result.
      if (!(error instanceof Refusal && error.code === 'conflict')) throw error
    }
    return redirect(repoPath(repoOf(visit)))
  },
})

const retryImportForm = action({
  path: '/:workspace/:repo/import/retry',
  async submit(visit, fields) {
    const token = fields.optional('token')
    await visit.call(retryImport, {
      id: fields.text('id'),
      ...(token === undefined ? {} : { token }),
    })
    return redirect(repoPath(repoOf(visit)))
  },
})

export const importForms = [cancelImportForm, retryImportForm]
