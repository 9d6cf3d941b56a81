// The switch between branches and tags, and the page of its search, which works without a script.
import { getRepo, listRefNames, type Repo } from '#features/repos/index.ts'
import {
  Button,
  CsrfField,
  Field,
  firstItems,
  Form,
  htmlBytes,
  Icon,
  PageHead,
  type IconName,
} from '../../components/index.ts'
import { codePath, repoPath, withQuery } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { FOLDER, isFork, OR, type CodeView, type Refs } from './frame.tsx'
import { rich, t } from '../../text.ts'

const MAX_FOUND = 50
/** What names have in the HTML of the switch and of the page of its search, and each beside its own bytes. */
const MAX_SWITCH_BYTES = 4_000
const MAX_FOUND_BYTES = 30_000
const NAME_BYTES = 260
const VIEWS: readonly CodeView[] = ['tree', 'blob', 'blame', 'commits']

/** The page that the switch is on. */
type Place = {
  readonly repo: string
  readonly current: string
  readonly view: CodeView
  readonly path: string
}

const hrefOf = ({ repo, current, view, path }: Place, name: string): string =>
  path === '' || view === 'commits'
    ? codePath(repo, view === 'commits' ? 'commits' : 'tree', name, path)
    : withQuery(codePath(repo, view, name, path), { [OR]: name === current ? undefined : FOLDER })

const bytesOf = (place: Place, name: string): number =>
  NAME_BYTES + htmlBytes(name) + htmlBytes(hrefOf(place, name))

const RefGroup = ({
  title,
  icon,
  names,
  place,
  maxBytes,
}: {
  title: string
  icon: IconName
  names: readonly string[]
  place: Place
  maxBytes: number
}) =>
  names.length === 0 ? null : (
    <>
      <p class="menu-title">{title}</p>
      <ul aria-label={title}>
        {firstItems(names, maxBytes, (name) => bytesOf(place, name)).map((name) => (
          <li>
            <a
              href={hrefOf(place, name)}
              aria-current={name === place.current ? 'true' : undefined}
            >
              <Icon name={icon} />
              <span class="ref-name">{name}</span>
              {name === place.current && <Icon name="check" />}
            </a>
          </li>
        ))}
      </ul>
    </>
  )

const RefGroups = ({ refs, ...of }: { refs: Refs; place: Place; maxBytes: number }) => (
  <>
    <RefGroup title={t('Branches')} icon="branch" names={refs.branches} {...of} />
    <RefGroup title={t('Tags')} icon="tag" names={refs.tags} {...of} />
  </>
)

const PlaceFields = ({ place }: { place: Place }) => (
  <>
    <input type="hidden" name="view" value={place.view} />
    <input type="hidden" name="path" value={place.path} />
    <input type="hidden" name="current" value={place.current} />
  </>
)

/** A commit is named by its first digits, a branch or tag by its name. */
const shortName = (ref: string): string => (/^[0-9a-f]{40}$/.test(ref) ? ref.slice(0, 7) : ref)

const ListLinks = ({ repo }: { repo: Repo }) => (
  <ul class="menu-foot">
    <li>
      <a href={repoPath(repo.full_name, '/branches')}>{t('All branches')}</a>
    </li>
    <li>
      <a href={repoPath(repo.full_name, '/tags')}>{t('All tags')}</a>
    </li>
  </ul>
)

export const RefSwitch = ({
  repo,
  refs,
  current,
  view,
  path,
}: {
  repo: Repo
  refs: Refs
  current: string
  view: CodeView
  path: string
}) => {
  const place = { repo: repo.full_name, current, view, path }
  return (
    <details class="menu ref-menu" data-menu>
      <summary
        class="btn btn-plain"
        aria-label={t('Branch or tag, now {current}', { current: shortName(current) })}
        data-hotkey="w"
      >
        <Icon name="branch" /> <span class="mono">{shortName(current)}</span>
        <Icon name="chevron-down" />
      </summary>
      <div class="menu-panel menu-left">
        <form
          class="menu-head"
          action={repoPath(repo.full_name, '/refs')}
          method="get"
          role="search"
          data-list-search="refs"
        >
          <PlaceFields place={place} />
          <input
            class="input"
            type="search"
            name="q"
            maxlength={200}
            placeholder={t('Find a branch or tag')}
            aria-label={t('Find a branch or tag')}
            autocomplete="off"
            spellcheck="false"
          />
          <Button small class="no-js-only">
            {t('Find')}
          </Button>
        </form>
        <div data-list>
          <RefGroups refs={refs} place={place} maxBytes={MAX_SWITCH_BYTES} />
        </div>
        {!isFork(repo) && <ListLinks repo={repo} />}
      </div>
    </details>
  )
}

/** Offers what was searched for as the name of a new branch, which begins at the current one. */
const CreateBranch = ({ visit, place, name }: { visit: Visit; place: Place; name: string }) => (
  <form
    class="ref-create"
    action={repoPath(place.repo, '/branches')}
    method="post"
    aria-label={t('Create a branch')}
    data-once
  >
    <CsrfField csrf={visit.csrf} />
    <input type="hidden" name="branch" value={name} />
    <input type="hidden" name="from" value={place.current} />
    <input type="hidden" name="then" value="tree" />
    <Button small icon="branch">
      {rich('Create branch {name} from {current}', { name, current: shortName(place.current) })}
    </Button>
  </form>
)

/** Whether the text can be the name of a branch of its own. */
const isNewName = (refs: Refs, q: string): boolean =>
  q !== '' && !refs.branches.includes(q) && /^[\w.][\w./-]*$/.test(q)

export const refsPage = page({
  path: '/:workspace/:repo/refs',
  load: async (visit) => {
    const name = repoOf(visit)
    const query = visit.url.searchParams
    const text = (key: string, most: number) => (query.get(key) ?? '').slice(0, most)
    const q = text('q', 200).trim()
    const repo = await visit.call(getRepo, { repo: name })
    const place: Place = {
      repo: repo.full_name,
      current: text('current', 255) || repo.default_branch,
      view: VIEWS.find((view) => view === query.get('view')) ?? 'tree',
      path: text('path', 4096),
    }
    const refs = await visit.call(listRefNames, {
      repo: name,
      q,
      branches: MAX_FOUND,
      tags: MAX_FOUND,
    })
    return { repo, place, refs, q }
  },
  view: ({ repo, place, refs, q }, visit) => (
    <RepoFrame
      visit={visit}
      repo={repo}
      title={t('Switch branch or tag')}
      current="code"
      width="narrow"
    >
      <PageHead title={t('Switch branch or tag')} />
      <Form
        action={visit.url.pathname}
        method="get"
        class="compare-pick"
        label={t('Find a branch or tag')}
      >
        <PlaceFields place={place} />
        <Field name="q" label={t('Name')} type="search" mono value={q} maxlength={200} unmarked />
        <Button>{t('Find')}</Button>
      </Form>
      <div id="refs" class="ref-results">
        {refs.branches.length + refs.tags.length === 0 ? (
          <p class="menu-title">{rich('No branch or tag has {q} in its name.', { q })}</p>
        ) : (
          <RefGroups refs={refs} place={place} maxBytes={MAX_FOUND_BYTES} />
        )}
        {repo.permissions.write && !repo.archived && !isFork(repo) && isNewName(refs, q) && (
          <CreateBranch visit={visit} place={place} name={q} />
        )}
      </div>
    </RepoFrame>
  ),
})
