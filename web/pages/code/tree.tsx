import type { Import } from '#features/imports/index.ts'
import { getLatestRelease, type Release } from '#features/releases/index.ts'
import {
  getFile,
  listCommits,
  listFolder,
  type CommitRecord,
  type FileRecord,
  type Repo,
  type TreeEntry,
} from '#features/repos/index.ts'
import { takesReports } from '#features/security/index.ts'
import {
  Chip,
  Columns,
  CopyField,
  Dropdown,
  FileFrame,
  Icon,
  LinkButton,
  MarkdownBody,
  Menu,
  ActorLink,
  PlainBeginning,
  RelativeTime,
  SideBlock,
  TreeTable,
} from '../../components/index.ts'
import { bytesText, formatNumber } from '../../format.ts'
import type { Child } from '../../jsx/html.ts'
import {
  archivePath,
  codePath,
  commitPath,
  newTokenPath,
  repoPath,
  withQuery,
} from '../../paths.ts'
import { DirectResponse, page, redirect, type Visit } from '../../site.ts'
import { LatestRelease } from '../releases/on-repo.tsx'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { ImportNotice, ImportPart, liveOf, loadImport } from '../repos/import.tsx'
import { loadRecentBranches, RecentBranches } from '../pulls/recent-branches.tsx'
import { mayPropose } from './edit-load.ts'
import { editPath } from './edit.tsx'
import { loadFolders, startOf } from './file-load.ts'
import { FirstSteps, firstPushLive, loadAdminsMayPush } from './first-steps.tsx'
import { FindFileLink, findPath } from './find.tsx'
import { partOfFolder, type FolderPart } from './folder-parts.ts'
import { isFork, locate, PathCrumbs, refsOf, WithTree, type Refs } from './frame.tsx'
import { RefSwitch } from './ref-switch.tsx'
import { documentMarkdown } from './readme.tsx'
import { submodulesOf } from './submodules.ts'
import { uploadPath } from './upload.tsx'
import { localized, rich, t } from '../../text.ts'

/** The entries of a folder that its parts have in all. */
const MAX_ENTRIES = 10_000

/**
 * How long a page waits for the last commits of its entries, and how long when the reader asked to
 * wait.
 */
const SHORT_MS = 20
const LONG_MS = 20_000
const README = /^readme(\.(md|markdown|txt|rst))?$/i

type Located = { ref: string; kind: 'branch' | 'tag' | 'commit'; path: string; sha: string | null }
type Data = {
  repo: Repo
  refs: Refs
  at: Located
  entries: readonly TreeEntry[]
  /** The number of the entry that the address asks for. */
  entry: number
  late: boolean
  submodules: ReadonlyMap<string, string>
  more: boolean
  latest: CommitRecord | null
  readme: FileRecord | null
  release: Release | null
  copy: Import | null
  adminsMayPush: boolean
  recent: Awaited<ReturnType<typeof loadRecentBranches>>
  folders: Awaited<ReturnType<typeof loadFolders>>
}

/** The page of a repository without commits. */
const emptyTree = async (visit: Visit, repo: Repo, at: Located): Promise<Data> => ({
  repo,
  refs: { branches: [], tags: [] },
  at,
  entries: [],
  entry: 1,
  late: false,
  submodules: new Map<string, string>(),
  more: false,
  latest: null,
  readme: null,
  release: null,
  copy: await loadImport(visit, repo),
  adminsMayPush: await loadAdminsMayPush(visit, repo),
  recent: [],
  folders: [],
})

async function loadTree(visit: Visit, rest: string) {
  const located = await locate(visit, 'tree', rest)
  if (located instanceof DirectResponse) return located
  const { name, repo, at } = located
  if (at.type !== 'dir') return redirect(codePath(repo.full_name, 'blob', at.ref, at.path), 302)
  if (at.sha === null) return emptyTree(visit, repo, at)
  const [refs, tree, commits] = await Promise.all([
    refsOf(visit, name),
    visit.call(listFolder, {
      repo: name,
      ref: at.sha,
      path: at.path,
      most: MAX_ENTRIES,
      wait_ms: visit.url.searchParams.get('wait') === '1' ? LONG_MS : SHORT_MS,
    }),
    visit.call(listCommits, {
      repo: name,
      ref: at.sha,
      ...(at.path === '' ? {} : { path: at.path }),
      per_page: 1,
    }),
  ])
  const found = tree.items.find((entry) => entry.type === 'file' && README.test(entry.name))
  const readme = found
    ? await visit.tryCall(getFile, { repo: name, ref: at.sha, path: found.path })
    : null
  return {
    repo,
    refs,
    at,
    entries: tree.items,
    entry: startOf(visit.url),
    late: tree.late,
    submodules: await submodulesOf(visit, name, at.sha, tree.items),
    more: tree.more,
    latest: commits.items[0] ?? null,
    readme,
    release: at.path === '' ? await visit.tryCall(getLatestRelease, { repo: name }) : null,
    copy: at.path === '' ? await loadImport(visit, repo) : null,
    adminsMayPush: false,
    recent: at.path === '' ? await loadRecentBranches(visit, repo) : [],
    folders: at.path === '' ? [] : await loadFolders(visit, name, at.sha, at.path),
  }
}

/** An empty repository: an import in progress, or the first steps. */
const Empty = ({ data, visit }: { data: Data; visit: Visit }) => (
  <>
    <ImportPart copy={data.copy} repo={data.repo} visit={visit} />
    {data.repo.state !== 'importing' && (
      <FirstSteps repo={data.repo} visit={visit} adminsMayPush={data.adminsMayPush} />
    )}
  </>
)

const CloneBox = ({ repo, rev, mcpUrl }: { repo: Repo; rev: string; mcpUrl: string }) => (
  <Dropdown
    label={t('Clone')}
    class="clone-menu"
    summary={
      <>
        <Icon name="download" /> {t('Clone')}
      </>
    }
  >
    <CopyField label={t('HTTPS address')} id="clone-url" value={repo.clone_url} />
    <p class="muted small">
      {rich('Use an <a>access token</a> as the password{private}.', {
        a: (inner) => <a href={newTokenPath('git', 'code:write')}>{inner}</a>,
        private: repo.private ? '' : ` ${t('to push; cloning needs none')}`,
      })}
    </p>
    {repo.ssh_url !== null && (
      <CopyField label={t('SSH address')} id="clone-ssh" value={repo.ssh_url} />
    )}
    <CopyField label={t('With git')} id="clone-git" value={`git clone ${repo.clone_url}`} />
    <CopyField
      label={t('With the command line')}
      id="clone-hearth"
      value={`hearth api get_repo --repo ${repo.full_name}`}
    />
    <CopyField label={t('Address for agents (MCP)')} id="clone-mcp" value={mcpUrl} />
    <p>
      <Icon name="archive" />{' '}
      {rich('Download as <a>zip</a> or <a2>tar.gz</a2>', {
        a: (inner) => (
          <a href={archivePath(repo.full_name, rev, 'zip')} rel="nofollow">
            {inner}
          </a>
        ),
        a2: (inner) => (
          <a href={archivePath(repo.full_name, rev, 'tar.gz')} rel="nofollow">
            {inner}
          </a>
        ),
      })}
    </p>
  </Dropdown>
)

const LatestCommit = ({ commit, repo }: { commit: CommitRecord; repo: Repo }) => (
  <>
    <ActorLink of={commit.author.actor ?? { username: commit.author.name }} />{' '}
    <a href={commitPath(repo.full_name, commit.sha)}>{commit.title}</a>{' '}
    <span class="muted">
      <code>{commit.short_sha}</code> <RelativeTime at={commit.author.date} />
    </span>
  </>
)

const REPO_LINKS = localized([
  ['branch', 'Branches', '/branches'],
  ['tag', 'Tags', '/tags'],
  ['package', 'Releases', '/releases'],
  ['layers', 'Packages', '/packages'],
  ['sort', 'Compare', '/compare'],
  ['users', 'Code owners', '/code-owners'],
] as const)

const NoDescription = () => <span class="muted">{t('No description.')}</span>

const About = ({ repo, visit }: { repo: Repo; visit: Visit }) => (
  <SideBlock title={t('About')}>
    <p>{repo.description === null ? <NoDescription /> : <bdi>{repo.description}</bdi>}</p>
    {repo.website && (
      <p>
        <Icon name="link" />{' '}
        <a href={repo.website} rel="nofollow noopener">
          {repo.website.replace(/^https?:\/\//, '')}
        </a>
      </p>
    )}
    {repo.topics.length > 0 && (
      <p class="topics">
        {repo.topics.map((topic) => (
          <Chip>{topic}</Chip>
        ))}
      </p>
    )}
    <ul class="bare-list fact-list">
      {repo.language && (
        <li>
          <Icon name="code" />{' '}
          {isFork(repo) ? (
            repo.language
          ) : (
            <a href={repoPath(repo.full_name, '/insights')}>{repo.language}</a>
          )}
        </li>
      )}
      {repo.license && (
        <li>
          <Icon name="book" /> {repo.license}
        </li>
      )}
      <li>
        <Icon name="layers" /> {bytesText(repo.size_in_bytes)}
      </li>
      {/* A pull request's fork has none of these; its repository has. */}
      {!isFork(repo) &&
        REPO_LINKS.map(([icon, label, path]) => (
          <li>
            <Icon name={icon} /> <a href={repoPath(repo.full_name, path)}>{label}</a>
          </li>
        ))}
      {!isFork(repo) && !repo.private && takesReports(visit.hearth, repo.id) && (
        <li>
          <Icon name="shield" />{' '}
          <a href={repoPath(repo.full_name, '/security/reports/new')}>
            {t('Report a vulnerability')}
          </a>
        </li>
      )}
    </ul>
  </SideBlock>
)

const AddMenu = ({ repo, at, rev }: { repo: Repo; at: Data['at']; rev: string }) => (
  <Menu
    label={t('Add files')}
    button
    align="left"
    summary={
      <>
        <Icon name="plus" /> {t('Add')}
      </>
    }
    items={[
      {
        label: t('New file'),
        icon: 'file',
        href: editPath(repo.full_name, 'new', rev, at.path),
      },
      {
        label: t('Upload files'),
        icon: 'upload',
        href: uploadPath(repo.full_name, rev, at.path),
      },
    ]}
  />
)

/** What the entries of a folder and its README have on a page, and what the README has at least. */
const MAX_ENTRIES_AND_README_BYTES = 58_000
const MIN_README_BYTES = 1_000

const Readme = ({
  visit,
  repo,
  at,
  readme,
  rev,
  maxBytes,
}: {
  visit: Visit
  repo: Repo
  at: Data['at']
  readme: NonNullable<Data['readme']>
  rev: string
  maxBytes: number
}) => {
  const whole = { href: codePath(repo.full_name, 'blob', rev, readme.path), maxBytes }
  return (
    <FileFrame name={readme.path.split('/').at(-1)}>
      {/\.(md|markdown)$/i.test(readme.path) ? (
        <MarkdownBody
          text={readme.content}
          options={documentMarkdown(visit, { repo: repo.full_name, ref: rev, dir: at.path })}
          whole={whole}
        />
      ) : (
        <PlainBeginning text={readme.content} whole={whole} />
      )}
    </FileFrame>
  )
}

const TreeBar = ({
  visit,
  repo,
  at,
  refs,
  rev,
}: {
  visit: Visit
  repo: Repo
  at: Data['at']
  refs: Data['refs']
  rev: string
}) => (
  <div class="code-bar">
    <RefSwitch repo={repo} refs={refs} current={rev} view="tree" path={at.path} />
    {at.path !== '' && <PathCrumbs repo={repo} current={rev} path={at.path} />}
    <div class="actions">
      <FindFileLink repo={repo} rev={rev} />
      {at.kind === 'branch' && mayPropose(visit, repo) && <AddMenu repo={repo} at={at} rev={rev} />}
      <LinkButton href={codePath(repo.full_name, 'commits', rev, at.path)} icon="history">
        {t('History')}
      </LinkButton>
      {at.sha !== null && (
        <LinkButton
          href={codePath(repo.full_name, 'tree', at.sha, at.path)}
          variant="quiet"
          icon="link"
          hotkey="y"
          label={t('Permanent link')}
        />
      )}
      {at.path === '' && <CloneBox repo={repo} rev={rev} mcpUrl={visit.hearth.settings.mcp_url} />}
    </div>
  </div>
)

/** Which entries of a long folder are shown, with links to the parts before and after them. */
const folderLinks = ({ from, to, total }: FolderPart, here: string): Child =>
  from === 1 && to === total ? null : (
    <>
      <span>
        {rich('Entries {from} to {to} of {total}', {
          from: formatNumber(from),
          to: formatNumber(to),
          total: formatNumber(total),
        })}
      </span>
      {from > 1 && (
        <a href={withQuery(here, { from: from - 1 })} rel="prev">
          {t('Previous entries')}
        </a>
      )}
      {to < total && (
        <a href={withQuery(here, { from: to + 1 })} rel="next">
          {t('Next entries')}
        </a>
      )}
    </>
  )

const TreeContent = ({ data, visit }: { data: Data; visit: Visit }) => {
  const { repo, at, entries, latest, readme } = data
  const rev = at.ref
  const here = codePath(repo.full_name, 'tree', rev, at.path)
  const up =
    at.path === ''
      ? null
      : codePath(repo.full_name, 'tree', rev, at.path.split('/').slice(0, -1).join('/'))
  const part = partOfFolder(entries, here, data.submodules, data.entry)
  return (
    <>
      <TreeTable
        entries={part.entries}
        repo={repo.full_name}
        rev={rev}
        up={up}
        submodules={data.submodules}
        later={
          data.late
            ? withQuery(here, { from: part.from > 1 ? part.from : undefined, wait: 1 })
            : undefined
        }
        head={latest ? <LatestCommit commit={latest} repo={repo} /> : undefined}
        parts={folderLinks(part, here)}
      />
      {data.more && (
        <p class="muted">
          {rich('This folder has more than {maxEntries} entries. <a>Find the others</a>', {
            maxEntries: formatNumber(MAX_ENTRIES),
            a: (inner) => <a href={findPath(repo.full_name, rev)}>{inner}</a>,
          })}
        </p>
      )}
      {part.from === 1 && readme && !readme.binary && (
        <Readme
          visit={visit}
          repo={repo}
          at={at}
          readme={readme}
          rev={rev}
          maxBytes={Math.max(MIN_README_BYTES, MAX_ENTRIES_AND_README_BYTES - part.bytes)}
        />
      )}
    </>
  )
}

/** An empty page changes by itself when there is code. */
const liveTree = ({ repo, at, copy }: Data) =>
  at.sha !== null
    ? undefined
    : repo.state === 'importing'
      ? liveOf(repo, copy)
      : firstPushLive(repo)

const TreeView = ({ data, visit }: { data: Data; visit: Visit }) => {
  const { repo, refs, at } = data
  const rev = at.ref
  const bar = <TreeBar visit={visit} repo={repo} at={at} refs={refs} rev={rev} />
  const inside = <TreeContent data={data} visit={visit} />
  return (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={at.path === '' ? repo.full_name : at.path}
      current="code"
      width={at.path === '' ? undefined : 'wide'}
      live={liveTree(data)}
    >
      <h1 class="unseen">{at.path === '' ? repo.full_name : at.path}</h1>
      {at.sha === null ? (
        <Empty data={data} visit={visit} />
      ) : at.path === '' ? (
        <Columns
          where="right"
          side={
            <>
              <About repo={repo} visit={visit} />
              <LatestRelease visit={visit} repo={repo} release={data.release} />
            </>
          }
        >
          <ImportNotice copy={data.copy} repo={repo} />
          <RecentBranches repo={repo} branches={data.recent} />
          {bar}
          {inside}
        </Columns>
      ) : (
        <>
          {bar}
          <WithTree repo={repo} current={rev} path={at.path} folders={data.folders}>
            {inside}
          </WithTree>
        </>
      )}
    </RepoFrame>
  )
}

export const repoPage = page({
  path: '/:workspace/:repo',
  // The address with git's suffix redirects to the page.
  load: (visit) =>
    visit.params.repo?.endsWith('.git')
      ? redirect(repoPath(repoOf(visit).slice(0, -4)), 301)
      : loadTree(visit, ''),
  view: (data: Data, visit) => <TreeView data={data} visit={visit} />,
})

export const treePage = page({
  path: '/:workspace/:repo/tree/*rest',
  load: (visit) => loadTree(visit, visit.params.rest ?? ''),
  view: (data: Data, visit) => <TreeView data={data} visit={visit} />,
})
