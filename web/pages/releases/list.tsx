import { getLatestRelease, listReleases, type Release } from '#features/releases/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  EmptyState,
  LinkButton,
  MarkdownBody,
  PageHead,
  Pagination,
} from '../../components/index.ts'
import { repoPath, withQuery } from '../../paths.ts'
import { loadPage } from '../row-form.tsx'
import { page, redirect, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import {
  notesMarkdown,
  ReleaseBadge,
  ReleaseFacts,
  releasePath,
  releasesPath,
} from './release-details.tsx'
import { rich, t, tn } from '../../text.ts'

const PER_PAGE = 10
/** What the list shows of the notes of one release. */
const MAX_NOTES_BYTES = 6_000

export const mayWrite = (repo: Repo, visit: Visit): boolean =>
  repo.permissions.write && !repo.archived && visit.viewer !== null

const Entry = ({ visit, repo, release }: { visit: Visit; repo: Repo; release: Release }) => {
  const here = releasePath(repo.full_name, release)
  return (
    <article class="release">
      <header class="release-head">
        <h2>
          <a href={here}>{release.name}</a>
        </h2>
        <ReleaseBadge release={release} />
      </header>
      <ReleaseFacts repo={repo} release={release} />
      <MarkdownBody
        text={release.body}
        options={notesMarkdown(visit, repo)}
        empty={t('No notes.')}
        whole={{ href: here, maxBytes: MAX_NOTES_BYTES }}
      />
      <p>
        <a href={here}>
          {release.assets.length === 0
            ? t('Source code')
            : t('{files} and the source code', {
                files: tn('{count} file', '{count} files', release.assets.length),
              })}
        </a>
      </p>
    </article>
  )
}

export const releasesPage = page({
  path: '/:workspace/:repo/releases',
  load: async (visit) => {
    const name = repoOf(visit)
    const [repo, releases] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      loadPage(visit, (page) => visit.call(listReleases, { repo: name, page, per_page: PER_PAGE })),
    ])
    return { repo, releases }
  },
  view: ({ repo, releases }, visit) => {
    const here = releasesPath(repo.full_name)
    const mayEdit = mayWrite(repo, visit)
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Releases')} current="code">
        <PageHead
          title={t('Releases')}
          lead={rich('Published versions. All <a>tags</a> have their own page.', {
            a: (inner) => <a href={repoPath(repo.full_name, '/tags')}>{inner}</a>,
          })}
          actions={
            mayEdit && !repo.empty ? (
              <LinkButton href={`${here}/new`} variant="primary" icon="plus">
                {t('New release')}
              </LinkButton>
            ) : undefined
          }
        />
        {releases.items.length === 0 ? (
          <EmptyState icon="tag" title={t('No releases yet')}>
            {repo.empty
              ? rich('A release needs a commit. <a>Push a first one</a>', {
                  a: (inner) => <a href={repoPath(repo.full_name)}>{inner}</a>,
                })
              : mayEdit
                ? t('Create a release to publish a version with notes and files.')
                : t('Published versions appear here with their notes and files.')}
          </EmptyState>
        ) : (
          <div class="stack">
            {releases.items.map((release) => (
              <Entry visit={visit} repo={repo} release={release} />
            ))}
          </div>
        )}
        <Pagination
          page={releases.page}
          perPage={PER_PAGE}
          total={releases.total ?? 0}
          href={(page) => withQuery(here, { page: page > 1 ? page : undefined })}
        />
      </RepoFrame>
    )
  },
})

/** Redirects to the latest release. */
export const latestPage = page({
  path: '/:workspace/:repo/releases/latest',
  load: async (visit) => {
    const latest = await visit.tryCall(getLatestRelease, { repo: repoOf(visit) })
    return latest
      ? redirect(releasePath(repoOf(visit), latest), 302)
      : redirect(releasesPath(repoOf(visit)), 302)
  },
  view: () => <></>,
})
