// Search results as rows. Each shows the place of its match.
import type {
  CodeFound,
  IssueFound,
  PersonFound,
  PullFound,
  RepoFound,
  SearchResult,
  WikiFound,
} from '#features/search/index.ts'
import { lineAddress } from '#lib/line-address.ts'
import { Avatar, ActorLink } from '../../components/avatar.tsx'
import { Icon } from '../../components/icon.tsx'
import { Labels, labelsOfRows, type RowLabels } from '../../components/label.tsx'
import { List, RepoRow, Row } from '../../components/rows.tsx'
import { issueStateStyle, pullStateStyle } from '../../components/state.tsx'
import { RelativeTime } from '../../components/time.tsx'
import {
  codePath,
  issuePath,
  localPath,
  pullPath,
  repoPath,
  userPath,
  withQuery,
} from '../../paths.ts'
import { hasMatch, Marked } from './marked.tsx'
import { rich, t } from '../../text.ts'

type Item = SearchResult['items'][number]

const Repository = ({ repo: { highlights, ...repo } }: { repo: RepoFound }) => (
  <RepoRow
    repo={repo}
    name={<Marked parts={highlights.name} />}
    description={
      highlights.description.length > 0 ? <Marked parts={highlights.description} /> : undefined
    }
  />
)

const File = ({ file, inside }: { file: CodeFound; inside: boolean }) => {
  const at = codePath(file.repo, 'blob', file.sha, file.path)
  return (
    <article class="hit">
      <header class="hit-head">
        <Icon name="file" />
        <h2>
          {!inside && (
            <>
              <a class="muted" href={repoPath(file.repo)}>
                {file.repo}
              </a>
              <span class="slash"> / </span>
            </>
          )}
          <a href={at}>{file.path}</a>
        </h2>
        {file.language && <span class="muted small">{file.language}</span>}
      </header>
      {file.symbols.length > 0 && (
        <p class="hit-symbols">
          {file.symbols.slice(0, 5).map(({ name, kind, line }) => (
            <a class="topic" href={at + lineAddress(line)}>
              <span class="muted">{kind}</span> {name}
            </a>
          ))}
        </p>
      )}
      {file.matches.length > 0 && (
        <table class="hit-lines">
          <caption class="unseen">{rich('Lines of {path}', { path: file.path })}</caption>
          <tbody>
            {file.matches.map(({ number, parts }) => (
              <tr>
                <th scope="row">
                  <a href={at + lineAddress(number)} aria-label={t('Line {number}', { number })}>
                    {number}
                  </a>
                </th>
                <td>
                  <code>
                    <Marked parts={parts} />
                  </code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </article>
  )
}

const Excerpts = ({ item }: { item: IssueFound | PullFound }) => {
  const { body, comments } = item.highlights
  return (
    <>
      {body.length > 0 && (hasMatch(body) || comments.length === 0) && (
        <p class="row-text">
          <Marked parts={body} />
        </p>
      )}
      {comments.map(({ id, author, parts }) => (
        <p class="row-text">
          <a class="muted" href={localPath(`${item.html_url}#${id}`)}>
            {rich('{username} wrote', { username: author.username })}
          </a>{' '}
          <Marked parts={parts} />
        </p>
      ))}
    </>
  )
}

const IssueOrPullRow = ({
  item,
  labels,
  kind,
}: {
  item: IssueFound | PullFound
  labels: RowLabels | undefined
  kind: 'issues' | 'pulls'
}) => {
  const style = 'status' in item ? pullStateStyle(item.status) : issueStateStyle(item)
  return (
    <Row
      mark={
        <span class={`tone-${style.tone}`}>
          <Icon name={style.icon} label={style.label} />
        </span>
      }
      title={
        <>
          <a
            class="row-link"
            href={
              kind === 'issues'
                ? issuePath(item.repo, item.number)
                : pullPath(item.repo, item.number)
            }
          >
            <Marked parts={item.highlights.title} />
          </a>
          {labels && (
            <Labels
              {...labels}
              href={(name) => withQuery(repoPath(item.repo, `/${kind}`), { label: name })}
            />
          )}
        </>
      }
      meta={
        <>
          <span>
            {item.repo}#{item.number}
          </span>
          <span>{rich('opened {time}', { time: <RelativeTime at={item.created_at} /> })}</span>
          <span>{rich('by {actor}', { actor: <ActorLink of={item.author} face={false} /> })}</span>
        </>
      }
    >
      <Excerpts item={item} />
    </Row>
  )
}

const PersonRow = ({ person }: { person: PersonFound }) => (
  <Row
    mark={<Avatar of={person} size={28} />}
    title={
      <a class="row-link" href={userPath(person.username)}>
        <Marked parts={person.highlights.username} />
      </a>
    }
    meta={
      person.name === null ? undefined : (
        <span>
          <Marked parts={person.highlights.name} />
        </span>
      )
    }
  />
)

const WikiRow = ({ page, inside }: { page: WikiFound; inside: boolean }) => (
  <Row
    mark={<Icon name="book" />}
    title={
      <a class="row-link" dir="auto" href={new URL(page.html_url).pathname}>
        <Marked parts={page.highlights.title} />
      </a>
    }
    meta={inside ? undefined : <a href={repoPath(page.repo)}>{page.repo}</a>}
  >
    {page.highlights.lines.slice(0, 3).map((parts) => (
      <p class="row-text" dir="auto">
        <Marked parts={parts} />
      </p>
    ))}
  </Row>
)

type RowProps = {
  readonly item: Item
  readonly labels: RowLabels | undefined
  readonly type: SearchResult['type']
  readonly inside: boolean
}

const ResultRow = ({ item, labels, type, inside }: RowProps) => {
  if ('slug' in item) return <WikiRow page={item} inside={inside} />
  if ('clone_url' in item) return <Repository repo={item} />
  if ('username' in item) return <PersonRow person={item} />
  return 'number' in item ? (
    <IssueOrPullRow item={item} labels={labels} kind={type === 'pulls' ? 'pulls' : 'issues'} />
  ) : null
}

const ResultList = ({
  items,
  type,
  inside,
}: Pick<SearchResult, 'items' | 'type'> & { inside: boolean }) => {
  const labels = labelsOfRows(
    items.map((item) => ('labels' in item ? item.labels : [])),
    new Map(),
  )
  return (
    <List label={t('What was found')}>
      {items.map((item, index) => (
        <ResultRow item={item} labels={labels[index]} type={type} inside={inside} />
      ))}
    </List>
  )
}

export const SearchResults = ({ result, inside }: { result: SearchResult; inside: boolean }) =>
  result.type === 'code' ? (
    <div class="hits">
      {result.items.map((item) =>
        'matches' in item ? <File file={item} inside={inside} /> : null,
      )}
    </div>
  ) : (
    <ResultList items={result.items} type={result.type} inside={inside} />
  )
