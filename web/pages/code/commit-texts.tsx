// What the page of a commit shows the beginning of: its message, and the branches and tags that have it.
import { getCommit, getRepo, listCommitRefs, type Repo } from '#features/repos/index.ts'
import { Breadcrumbs, Icon, List, PageHead, Row } from '../../components/index.ts'
import { codePath, commitPath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { pageOfRows, RowSteps } from '../row-form.tsx'
import { LongTextBody, loadPlainText, partTitle, rawText } from '../writing/long-text.tsx'
import { t } from '../../text.ts'

export const commitMessagePath = (repo: string, sha: string): string =>
  `${commitPath(repo, sha)}/message`
export const commitRefsPath = (repo: string, sha: string): string => `${commitPath(repo, sha)}/refs`

const NAMES_PER_PAGE = 50

export const RefLink = ({
  repo,
  name,
  icon,
}: {
  repo: Repo
  name: string
  icon: 'branch' | 'tag'
}) => (
  <a class="mono" href={codePath(repo.full_name, 'tree', name)}>
    <Icon name={icon} size={14} /> {name}
  </a>
)

async function loadCommit(visit: Visit) {
  const name = repoOf(visit)
  const [repo, commit] = await Promise.all([
    visit.call(getRepo, { repo: name }),
    visit.call(getCommit, { repo: name, ref: visit.params.sha ?? '', per_page: 1 }),
  ])
  return { repo, commit }
}

export const commitMessagePage = page({
  path: '/:workspace/:repo/commit/:sha/message',
  load: async (visit) => {
    const found = await loadCommit(visit)
    const typed = rawText(visit, found.commit.message)
    return typed ?? { ...found, text: await loadPlainText(visit, found.commit.message) }
  },
  view: ({ repo, commit, text }, visit) => (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={partTitle(t('Message'), text)}
      current="code"
      noindex
    >
      <Breadcrumbs
        parts={[
          { label: commit.title, href: commitPath(repo.full_name, commit.sha) },
          { label: t('Message') },
        ]}
      />
      <PageHead title={t('Message')} />
      <LongTextBody visit={visit} text={text} />
    </RepoFrame>
  ),
})

export const commitRefsPage = page({
  path: '/:workspace/:repo/commit/:sha/refs',
  load: async (visit) => {
    const found = await loadCommit(visit)
    const { branches, tags } = await visit.call(listCommitRefs, {
      repo: repoOf(visit),
      sha: found.commit.sha,
    })
    const names = [
      ...branches.map((name) => ({ name, icon: 'branch' as const })),
      ...tags.map((name) => ({ name, icon: 'tag' as const })),
    ]
    return { ...found, names: pageOfRows(visit, names, NAMES_PER_PAGE) }
  },
  view: ({ repo, commit, names }, visit) => (
    <RepoFrame visit={visit} repo={repo} title={t('Branches and tags')} current="code" noindex>
      <PageHead
        title={t('Branches and tags')}
        lead={<a href={commitPath(repo.full_name, commit.sha)}>{commit.title}</a>}
      />
      <List label={t('Branches and tags')}>
        {names.items.map((of) => (
          <Row title={<RefLink repo={repo} {...of} />} />
        ))}
      </List>
      <RowSteps
        list={names}
        here={commitRefsPath(repo.full_name, commit.sha)}
        label={t('Branches and tags')}
      />
    </RepoFrame>
  ),
})
