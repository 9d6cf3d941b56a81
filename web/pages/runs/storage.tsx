// What the runs of a repository or a workspace have stored, how long it is kept, and what can go.
import { getActionsUsage, type ActionsUsage, type Artifact } from '#features/artifacts/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import {
  EmptyState,
  Icon,
  LinkButton,
  List,
  Notice,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { bytesText, formatNumber } from '../../format.ts'
import type { Child, Html } from '../../jsx/html.ts'
import { repoPath, workspacePath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { RepoSettingsFrame } from '../repos/settings-frame.tsx'
import { WorkspaceSettingsFrame } from '../workspaces/frame.tsx'
import { cachesPath, repoStoragePath } from './paths.ts'

/** The quota of the workspace, and what happens at its end. */
const Quota = ({ used, limit }: ActionsUsage['quota']) =>
  limit === null ? (
    <p class="muted small">{t('No quota limits this workspace.')}</p>
  ) : (
    <Notice kind={used >= limit ? 'wait' : 'info'}>
      {t(
        'The workspace uses {used} of its quota of {limit}. A new artifact or cache that does not fit takes the place of the caches that were not used for longest; when that is not enough, it is refused.',
        { used: bytesText(used), limit: bytesText(limit) },
      )}
    </Notice>
  )

type PartProps = { name: Child; count: number; bytes: number; kept: string; removal: Child }

const Part = ({ name, count, bytes, kept, removal }: PartProps) => (
  <tr>
    <td>{name}</td>
    <td data-label={t('Files')}>{formatNumber(count)}</td>
    <td data-label={t('Size')}>{bytesText(bytes)}</td>
    <td data-label={t('Kept')}>{kept}</td>
    <td data-label={t('How to delete')}>{removal}</td>
  </tr>
)

const days = (count: number): string => tn('{count} day', '{count} days', count)

const Parts = ({ usage, repo }: { usage: ActionsUsage; repo: string | null }) => {
  const { artifacts, caches, logs } = usage
  const link = (href: string, text: string): Child =>
    repo === null ? text : <a href={href}>{text}</a>
  const runs = repo === null ? '' : repoPath(repo, '/runs')
  return (
    <section class="table-scroll" tabindex="0" aria-label={t('Storage of runs')}>
      <table class="plain-table stacked-table" aria-label={t('Storage of runs')}>
        <thead>
          <tr>
            <th>{t('Kind')}</th>
            <th>{t('Files')}</th>
            <th>{t('Size')}</th>
            <th>{t('Kept')}</th>
            <th>{t('How to delete')}</th>
          </tr>
        </thead>
        <tbody>
          <Part
            name={link(runs, t('Artifacts'))}
            {...artifacts}
            kept={t('at most {days}', { days: days(artifacts.keep_days) })}
            removal={t('On the page of the run, or with the run')}
          />
          <Part
            name={link(repo === null ? '' : cachesPath(repo), t('Caches'))}
            {...caches}
            kept={t('{days} after their last use; at most {size} in a repository', {
              days: days(caches.unused_days),
              size: bytesText(caches.max_bytes),
            })}
            removal={t('On the page of caches')}
          />
          <Part
            name={link(runs, t('Logs'))}
            {...logs}
            kept={days(logs.keep_days)}
            removal={t('With the run')}
          />
        </tbody>
      </table>
    </section>
  )
}

const LargestArtifact = ({ visit, repo, of }: { visit: Visit; repo: string; of: Artifact }) => (
  <Row
    mark={<Icon name="package" />}
    title={
      <a class="row-link" href={repoPath(repo, `/runs/${encodeURIComponent(of.run)}`)}>
        {of.name}
      </a>
    }
    meta={
      <>
        <span>{bytesText(of.size_in_bytes)}</span>
        <span>
          {rich('expires {at}', {
            at: <RelativeTime at={of.expires_at} now={visit.hearth.clock.now()} />,
          })}
        </span>
      </>
    }
  />
)

const Usage = ({ usage, children }: { usage: ActionsUsage; children: Child }) => (
  <>
    <Quota {...usage.quota} />
    {children}
  </>
)

const LEAD = (usage: ActionsUsage): string =>
  t('Artifacts, caches and logs of workflows: {size} together.', { size: bytesText(usage.bytes) })

const RepoView = ({ visit, repo, usage }: { visit: Visit; repo: Repo; usage: ActionsUsage }) => {
  const title = t('Storage of runs')
  const { full_name } = repo
  return (
    <RepoSettingsFrame visit={visit} repo={repo} title={title} part="run-storage">
      <PageHead
        title={title}
        lead={LEAD(usage)}
        actions={
          <LinkButton href={cachesPath(full_name)} icon="package">
            {t('Caches')}
          </LinkButton>
        }
      />
      <Usage usage={usage}>
        <Parts usage={usage} repo={full_name} />
        {usage.largest_artifacts.length > 0 && (
          <>
            <PageHead level={2} title={t('Largest artifacts')} />
            <List label={t('Largest artifacts')}>
              {usage.largest_artifacts.map((artifact) => (
                <LargestArtifact visit={visit} repo={full_name} of={artifact} />
              ))}
            </List>
          </>
        )}
      </Usage>
    </RepoSettingsFrame>
  )
}

export const repoStoragePage = page({
  path: '/:workspace/:repo/settings/run-storage',
  load: async (visit) => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    // For others the page does not exist, as the settings do not.
    if (!repo.permissions.write) return null
    return { repo, usage: await visit.call(getActionsUsage, { repo: repoOf(visit) }) }
  },
  view: (shown, visit) => <RepoView visit={visit} {...shown} />,
})

const RepositoryRow = ({ of }: { of: ActionsUsage['repositories'][number] }): Html => {
  const { repository, deleted, artifacts_bytes, caches_bytes, logs_bytes } = of
  return (
    <Row
      mark={<Icon name="repo" />}
      title={
        deleted ? (
          repository
        ) : (
          <a class="row-link" href={repoStoragePath(repository)}>
            {repository}
          </a>
        )
      }
      meta={
        <>
          {deleted && <span>{t('deleted')}</span>}
          <span>{t('artifacts {size}', { size: bytesText(artifacts_bytes) })}</span>
          <span>{t('caches {size}', { size: bytesText(caches_bytes) })}</span>
          <span>{t('logs {size}', { size: bytesText(logs_bytes) })}</span>
        </>
      }
    />
  )
}

export const workspaceStoragePage = page({
  path: '/:workspace/-/run-storage',
  load: async (visit) => {
    const slug = visit.params.workspace ?? ''
    const workspace = await visit.call(getWorkspace, { workspace: slug })
    if (workspace.role !== 'owner') return null
    return { workspace, usage: await visit.call(getActionsUsage, { workspace: slug }) }
  },
  view: ({ workspace, usage }, visit) => {
    const title = t('Storage of runs')
    return (
      <WorkspaceSettingsFrame visit={visit} workspace={workspace} title={title} part="run-storage">
        <PageHead title={title} lead={LEAD(usage)} />
        <Usage usage={usage}>
          <Parts usage={usage} repo={null} />
          <PageHead level={2} title={t('Repositories')} />
          {usage.repositories.length === 0 ? (
            <EmptyState icon="package" title={t('Nothing stored')}>
              {rich('Runs of workflows in the repositories of {name} store files here.', {
                name: <a href={workspacePath(workspace.slug)}>{workspace.slug}</a>,
              })}
            </EmptyState>
          ) : (
            <List label={t('Repositories')}>
              {usage.repositories.map((one) => (
                <RepositoryRow of={one} />
              ))}
            </List>
          )}
        </Usage>
      </WorkspaceSettingsFrame>
    )
  },
})
