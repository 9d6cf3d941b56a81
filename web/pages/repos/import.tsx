// The progress of an import, and what to do after a failure.
import {
  cancelImport,
  getRepoImport,
  listImportedPeople,
  mapImportedPerson,
  retryImport,
  type Import,
  type ImportedPerson,
} from '#features/imports/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  ActionButton,
  ActorLink,
  Button,
  Card,
  EmptyState,
  Facts,
  Field,
  Form,
  FormActions,
  FormError,
  LinkButton,
  Notice,
  PageHead,
  RelativeTime,
} from '../../components/index.ts'
import { bytesText, formatNumber, sentenceCase } from '../../format.ts'
import { repoPath } from '../../paths.ts'
import { action, page, redirect, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from './frame.tsx'
import { rich, t, texts, tn } from '../../text.ts'
import { repoImportLive } from './import-live.ts'
import { IMPORT_STATE_TEXTS, STEP_TEXTS } from './import-texts.ts'
import { formError } from '../shell.tsx'

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
    ? t('Waiting, because the other forge limits requests')
    : PHASES[progress.phase]

/** The event stream of a page that shows how far an import is. */
export const liveOf = (repo: Repo, copy: Import | null) =>
  repoImportLive(repo, copy, copy === null ? '' : phaseOf(copy))

type ImportProps = { copy: Import; repo: Repo; visit: Visit }

const CancelButton = ({ copy, repo, visit }: ImportProps) => (
  <ActionButton
    action={repoPath(repo.full_name, '/import/cancel')}
    csrf={visit.csrf}
    values={{ id: copy.id }}
  >
    <Button variant="danger" small>
      {t('Cancel')}
    </Button>
  </ActionButton>
)

const Progress = ({ copy, repo, visit }: ImportProps) => {
  const { progress, errors, resume_at } = copy
  return (
    <Card title={t('Copying')} actions={<CancelButton copy={copy} repo={repo} visit={visit} />}>
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

const Retry = ({ copy, repo, visit }: ImportProps) => (
  <Card title={t('Retry')}>
    <Form action={repoPath(repo.full_name, '/import/retry')} csrf={visit.csrf} label={t('Retry')}>
      <input type="hidden" name="id" value={copy.id} />
      <p class="muted">
        {copy.source === 'git'
          ? rich('From {url} into this repository, while it is empty.', {
              url: <code>{copy.url}</code>,
            })
          : rich('From {url}. Only what is missing is imported.', {
              url: <code>{copy.url}</code>,
            })}
      </p>
      <Field
        name="token"
        type="password"
        label={t('Access token')}
        autocomplete="off"
        maxlength={2000}
        hint={t(
          'Only for a private repository: an access token of the other forge, or name:password.',
        )}
      />
      <FormActions>
        <Button variant="primary">{t('Retry')}</Button>
      </FormActions>
    </Form>
  </Card>
)

const STEP_STATE_TEXTS: Record<Import['steps'][number]['state'], string> = texts({
  waiting: 'Waiting',
  running: 'Running',
  done: 'Done',
  done_with_errors: 'Done, with errors',
  failed: 'Failed',
  cancelled: 'Cancelled',
})

const StepTable = ({ copy }: { copy: Import }) => (
  <div class="table-scroll">
    <table class="plain-table" aria-label={t('Progress')}>
      <thead>
        <tr>
          <th scope="col">{t('Part')}</th>
          <th scope="col">{t('State')}</th>
          <th scope="col">{t('Imported')}</th>
        </tr>
      </thead>
      <tbody>
        {copy.steps.map((step) => (
          <tr>
            <th scope="row">{STEP_TEXTS[step.name]}</th>
            <td>{STEP_STATE_TEXTS[step.state]}</td>
            <td>
              {step.total > step.done
                ? t('{done} of {all}', {
                    done: formatNumber(step.done),
                    all: formatNumber(step.total),
                  })
                : formatNumber(step.done)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Problems = ({ copy }: { copy: Import }) =>
  copy.errors.length === 0 ? null : (
    <Notice
      kind={copy.finished_at === null ? 'wait' : 'bad'}
      title={copy.finished_at === null ? t('So far') : t('What was left out')}
    >
      <ul>
        {copy.errors.map((error) => (
          <li>{error}</li>
        ))}
      </ul>
      {copy.resume_at !== null && (
        <p>{rich('The next attempt is {time}.', { time: <RelativeTime at={copy.resume_at} /> })}</p>
      )}
    </Notice>
  )

const PersonRow = ({
  person,
  repo,
  visit,
}: {
  person: ImportedPerson
  repo: Repo
  visit: Visit
}) => (
  <tr>
    <th scope="row">
      <bdi>
        {person.url === null ? (
          person.username
        ) : (
          <a href={person.url} rel="nofollow noopener">
            {person.username}
          </a>
        )}
      </bdi>
    </th>
    <td>
      {person.mapped_to === null ? (
        <Form
          action={repoPath(repo.full_name, '/import/people')}
          csrf={visit.csrf}
          label={t('Account of {name}', { name: person.username })}
        >
          <input type="hidden" name="id" value={person.id} />
          <Field
            id={`username-${person.id}`}
            name="username"
            label={t('Username here')}
            required
            mono
            maxlength={100}
            autocomplete="off"
          />
          <Button small>{t('Assign account')}</Button>
        </Form>
      ) : (
        <ActorLink of={person.mapped_to} />
      )}
    </td>
  </tr>
)

const People = ({
  people,
  repo,
  visit,
}: {
  people: readonly ImportedPerson[]
  repo: Repo
  visit: Visit
}) => {
  const error = formError(visit)
  return people.length === 0 ? null : (
    <Card title={t('People')}>
      <p class="muted">
        {t(
          'Say who has an account here. What they wrote in this repository is theirs from then on. This cannot be undone.',
        )}
      </p>
      {error && <FormError>{error}</FormError>}
      <div class="table-scroll">
        <table class="plain-table" aria-label={t('People')}>
          <thead>
            <tr>
              <th scope="col">{t('Account there')}</th>
              <th scope="col">{t('Here')}</th>
            </tr>
          </thead>
          <tbody>
            {people.map((person) => (
              <PersonRow person={person} repo={repo} visit={visit} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

const canRetry = ({ state, source }: Import): boolean =>
  source !== 'git' && (state === 'failed' || state === 'cancelled' || state === 'done_with_errors')

/** How far the latest import is, what it left out, and whose accounts its people are. */
export const importPage = page({
  path: '/:workspace/:repo/import',
  load: async (visit) => {
    const name = repoOf(visit)
    const [repo, copy] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      visit.tryCall(getRepoImport, { repo: name }),
    ])
    const people = repo.permissions.admin
      ? await visit.tryCall(listImportedPeople, { repo: name, per_page: 100 })
      : null
    return { repo, copy, people: people?.items ?? [] }
  },
  view: ({ repo, copy, people }, visit) => (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={t('Import')}
      current="code"
      width="narrow"
      live={copy === null || copy.finished_at !== null ? undefined : liveOf(repo, copy)}
    >
      <PageHead title={t('Import')} />
      {copy === null ? (
        <EmptyState
          icon="download"
          title={t('Nothing was imported')}
          actions={<LinkButton href="/new">{t('Import a repository')}</LinkButton>}
        >
          {t('A repository is imported when it is created.')}
        </EmptyState>
      ) : (
        <>
          <Card
            title={IMPORT_STATE_TEXTS[copy.state]}
            actions={
              copy.finished_at === null ? (
                <CancelButton copy={copy} repo={repo} visit={visit} />
              ) : null
            }
          >
            <Facts
              facts={[
                { label: t('From'), value: <code>{copy.url}</code> },
                { label: t('Started'), value: <RelativeTime at={copy.created_at} /> },
              ]}
            />
            <StepTable copy={copy} />
            {copy.finished_at === null && (
              <p>
                <LinkButton href={repoPath(repo.full_name, '/import')} icon="refresh">
                  {t('Refresh')}
                </LinkButton>
              </p>
            )}
          </Card>
          <Problems copy={copy} />
          {canRetry(copy) && <Retry copy={copy} repo={repo} visit={visit} />}
          <People people={people} repo={repo} visit={visit} />
        </>
      )}
    </RepoFrame>
  ),
})

const mapPersonForm = action({
  path: '/:workspace/:repo/import/people',
  page: importPage,
  async submit(visit, fields) {
    const repo = repoOf(visit)
    await visit.call(mapImportedPerson, {
      repo,
      id: fields.text('id'),
      username: fields.text('username').trim(),
    })
    return redirect(repoPath(repo, '/import'))
  },
})

/** Tells that the rest of an import is still on its way, for those who may see how far it is. */
export const ImportNotice = ({ copy, repo }: { copy: Import | null; repo: Repo }) =>
  copy === null || copy.finished_at !== null ? null : (
    <Notice kind="wait" title={t('Issues, pull requests and releases are being imported')}>
      <p>
        {rich('They appear here one after the other. <a>Show the progress</a>', {
          a: (inner) => <a href={repoPath(repo.full_name, '/import')}>{inner}</a>,
        })}
      </p>
    </Notice>
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
          <p>{sentenceCase(repo.import_error ?? copy?.errors.at(-1) ?? '')}</p>
        </Notice>
      )}
      {copy && <Retry copy={copy} repo={repo} visit={visit} />}
    </>
  )
}

/** The latest import of a repository; null without one, and for those who may not see it. */
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

export const importForms = [cancelImportForm, retryImportForm, mapPersonForm]
