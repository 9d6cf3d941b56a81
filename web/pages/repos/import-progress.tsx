// All imports that somebody started, with how far each is.
import { cancelImport, type Import } from '#features/imports/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  ActionButton,
  Button,
  Card,
  EmptyState,
  LinkButton,
  PageHead,
  RelativeTime,
} from '../../components/index.ts'
import { repoPath, withQuery } from '../../paths.ts'
import { action, page, redirect, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { Shell } from '../shell.tsx'
import { importsLive, loadImports } from './import-live.ts'
import { IMPORT_STATE_TEXTS, STEP_TEXTS } from './import-texts.ts'

const stepOf = (copy: Import): string => {
  const running = copy.steps.find(({ state }) => state === 'running')
  const done = copy.steps.filter(({ state }) => state.startsWith('done')).length
  const steps = t('{done} of {all} parts', {
    done: String(done),
    all: String(copy.steps.length),
  })
  return running === undefined ? steps : `${steps} · ${STEP_TEXTS[running.name]}`
}

const ImportRow = ({ copy, visit }: { copy: Import; visit: Visit }) => (
  <tr>
    <th scope="row">
      {copy.repo === null ? (
        t('Deleted repository')
      ) : (
        <a href={repoPath(copy.repo, '/import')}>
          <bdi>{copy.repo}</bdi>
        </a>
      )}
    </th>
    <td>{IMPORT_STATE_TEXTS[copy.state]}</td>
    <td>
      {stepOf(copy)}
      {copy.errors.length > 0 && <p class="muted">{copy.errors.at(-1)}</p>}
    </td>
    <td>
      <RelativeTime at={copy.created_at} />
    </td>
    <td>
      {copy.finished_at === null && (
        <ActionButton action="/import/progress/cancel" csrf={visit.csrf} values={{ id: copy.id }}>
          <Button variant="danger" small>
            {t('Cancel')}
          </Button>
        </ActionButton>
      )}
    </td>
  </tr>
)

const ImportTable = ({ items, visit }: { items: readonly Import[]; visit: Visit }) => (
  <div class="table-scroll">
    <table class="plain-table" aria-label={t('Imports')}>
      <thead>
        <tr>
          <th scope="col">{t('Repository')}</th>
          <th scope="col">{t('State')}</th>
          <th scope="col">{t('Imported')}</th>
          <th scope="col">{t('Started')}</th>
          <th scope="col">
            <span class="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((copy) => (
          <ImportRow copy={copy} visit={visit} />
        ))}
      </tbody>
    </table>
  </div>
)

const here = (visit: Visit, before: string | null): string => {
  const workspace = visit.url.searchParams.get('workspace')
  return withQuery('/import/progress', {
    ...(workspace === null ? {} : { workspace }),
    ...(before === null ? {} : { before }),
  })
}

export const importProgressPage = page({
  path: '/import/progress',
  load: async (visit) => {
    if (!visit.viewer) return redirect('/login?next=/import/progress', 302)
    return await loadImports(visit)
  },
  view: ({ items, next }, visit) => {
    const atWork = items.filter(({ finished_at }) => finished_at === null).length
    const place = here(visit, visit.url.searchParams.get('before'))
    const done = t('{done} of {all} done', {
      done: String(items.length - atWork),
      all: String(items.length),
    })
    return (
      <Shell
        visit={visit}
        title={t('Imports')}
        live={atWork === 0 ? undefined : importsLive(visit, items, done)}
      >
        <PageHead
          title={t('Imports')}
          actions={<LinkButton href="/import">{t('Import repositories')}</LinkButton>}
        />
        {items.length === 0 ? (
          <EmptyState
            icon="download"
            title={t('Nothing was imported')}
            actions={
              <LinkButton href="/import" variant="primary">
                {t('Import repositories')}
              </LinkButton>
            }
          >
            {t('Bring repositories with their issues and pull requests from another forge.')}
          </EmptyState>
        ) : (
          <Card
            title={done}
            actions={
              <LinkButton href={place} icon="refresh">
                {t('Refresh')}
              </LinkButton>
            }
          >
            <ImportTable items={items} visit={visit} />
            {next !== null && (
              <p>
                <LinkButton href={here(visit, next)}>{t('Older')}</LinkButton>
              </p>
            )}
          </Card>
        )}
      </Shell>
    )
  },
})

export const cancelOneForm = action({
  path: '/import/progress/cancel',
  async submit(visit, fields) {
    try {
      await visit.call(cancelImport, { id: fields.text('id') })
    } catch (error) {
      // The import ended while the page was open: the page shows the result.
      if (!(error instanceof Refusal && error.code === 'conflict')) throw error
    }
    return redirect('/import/progress')
  },
})
