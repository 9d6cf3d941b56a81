import { getRepo, listCodeOwners, type Repo } from '#features/repos/index.ts'
import {
  beginningOfText,
  Button,
  Card,
  EmptyState,
  Field,
  firstItems,
  Form,
  htmlBytes,
  LinkButton,
  PageHead,
} from '../../components/index.ts'
import { lineAddress } from '#lib/line-address.ts'
import type { Child } from '../../jsx/html.ts'
import { codePath, repoPath, teamPath, userPath, withQuery } from '../../paths.ts'
import { page, type OutputOf } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { pageOfHeavyRows, RowSteps, type RowLimits } from '../row-form.tsx'
import { editPath } from './edit.tsx'
import { rich, t } from '../../text.ts'

/** Links an owner of the file: a user or a team. An email address has no page. */
const ownerLink = (name: string): Child => {
  const [, first = '', team] = /^@([\w-]+)(?:\/([\w.-]+))?$/.exec(name) ?? []
  if (first === '') return name
  return <a href={team === undefined ? userPath(first) : teamPath(first, team)}>{name}</a>
}

export const OwnerLinks = ({ names }: { names: readonly string[] }) => (
  <>
    {names.map((name, at) => (
      <>
        {at > 0 && ', '}
        {ownerLink(name)}
      </>
    ))}
  </>
)

/** Of the owners of one rule the first are shown, and of a long pattern its beginning; the file has all. */
const MAX_OWNERS_BYTES = 2_000
const MAX_PATTERN_BYTES = 500
/** What a row and each of its owners have beside their names. */
const ROW_BYTES = 70
const OWNER_BYTES = 50

type Rule = OutputOf<typeof listCodeOwners>['rules'][number]

const ownersShown = (owners: readonly string[]): readonly string[] =>
  firstItems(owners, MAX_OWNERS_BYTES, (name) => OWNER_BYTES + 2 * htmlBytes(name))

const LIMITS: RowLimits<Rule> = {
  perPage: 200,
  maxBytes: 70_000,
  bytesOf: ({ pattern, owners }) =>
    ROW_BYTES +
    Math.min(MAX_PATTERN_BYTES, htmlBytes(pattern)) +
    ownersShown(owners).reduce((sum, name) => sum + OWNER_BYTES + 2 * htmlBytes(name), 0),
}

const EXAMPLE = '*            @ada\n/docs/       @writers\n*.sql        @acme/database'

/** The first steps for a repository without the file. */
const NoOwners = ({ repo }: { repo: Repo }) => (
  <>
    <EmptyState icon="users" title={t('No code owners yet')}>
      {rich(
        'A file {code} on the default branch, at the top or in {code2}, {code3} or {code4}, says who is asked to review which paths.',
        {
          code: <code>CODEOWNERS</code>,
          code2: <code>.hearth/</code>,
          code3: <code>.github/</code>,
          code4: <code>docs/</code>,
        },
      )}
    </EmptyState>
    <Card title={t('For example')}>
      <pre class="mono">{EXAMPLE}</pre>
    </Card>
    {repo.permissions.write && !repo.archived && !repo.empty && (
      <p>
        <LinkButton
          href={withQuery(editPath(repo.full_name, 'new', repo.default_branch, ''), {
            path: 'CODEOWNERS',
          })}
          icon="plus"
        >
          {t('Create {file}', { file: 'CODEOWNERS' })}
        </LinkButton>
      </p>
    )}
  </>
)

const RuleOwners = ({ rule: { owners, line }, file }: { rule: Rule; file: string }) => {
  const shown = ownersShown(owners)
  if (shown.length === 0) return <span class="muted">{t('nobody')}</span>
  return (
    <>
      <OwnerLinks names={shown} />
      {shown.length < owners.length && (
        <>
          {' '}
          <a href={file + lineAddress(line)}>
            {rich('and {names} more', { names: owners.length - shown.length })}
          </a>
        </>
      )}
    </>
  )
}

/** The beginning of a pattern. A long one leads to its line of the file. */
const Pattern = ({ rule: { pattern, line }, file }: { rule: Rule; file: string }) => {
  const beginning = beginningOfText(pattern, MAX_PATTERN_BYTES)
  return beginning.length === pattern.length ? (
    <code>{pattern}</code>
  ) : (
    <a href={file + lineAddress(line)}>
      <code>{beginning}…</code>
    </a>
  )
}

/** `file` is the address of the file. */
const OwnerRules = ({ rules, file }: { rules: readonly Rule[]; file: string }) => (
  <div class="csv">
    <table aria-label={t('Code owners')}>
      <thead>
        <tr>
          <th scope="col">{t('Line')}</th>
          <th scope="col">{t('Paths')}</th>
          <th scope="col">{t('Owners')}</th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <tr>
            <td>{rule.line}</td>
            <td>
              <Pattern rule={rule} file={file} />
            </td>
            <td>
              <RuleOwners rule={rule} file={file} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const OwnerLookup = ({ repo, path }: { repo: Repo; path: string }) => (
  <Form
    action={repoPath(repo.full_name, '/code-owners')}
    method="get"
    class="compare-pick"
    label={t('Owners of a path')}
  >
    <Field
      name="path"
      label={t('Path')}
      mono
      value={path}
      maxlength={4096}
      placeholder={t('src/app.ts')}
    />
    <Button>{t('Who owns it?')}</Button>
  </Form>
)

/** The rules of code owners, and the owners of one path. */
export const ownersPage = page({
  path: '/:workspace/:repo/code-owners',
  load: async (visit) => {
    const name = repoOf(visit)
    const path = (visit.url.searchParams.get('path') ?? '').trim()
    const [repo, owners] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      visit.call(listCodeOwners, { repo: name, ...(path === '' ? {} : { path }) }),
    ])
    return { repo, owners, path, rules: pageOfHeavyRows(visit, owners.rules, LIMITS) }
  },
  view: ({ repo, owners, path, rules }, visit) => (
    <RepoFrame visit={visit} repo={repo} title={t('Code owners')} current="code">
      <PageHead
        title={t('Code owners')}
        lead={
          owners.file === null
            ? undefined
            : rich('From {a}. The last rule that matches a path counts.', {
                a: (
                  <a href={codePath(repo.full_name, 'blob', repo.default_branch, owners.file)}>
                    <code>{owners.file}</code>
                  </a>
                ),
              })
        }
      />
      {owners.file === null ? (
        <NoOwners repo={repo} />
      ) : (
        <>
          <OwnerLookup repo={repo} path={path} />
          {owners.owners !== null && (
            <p>
              {rich('{path} is owned by {owners}.', {
                path: <code>{path}</code>,
                owners:
                  owners.owners.length === 0 ? t('nobody') : <OwnerLinks names={owners.owners} />,
              })}
            </p>
          )}
          <OwnerRules
            rules={rules.items}
            file={codePath(repo.full_name, 'blob', repo.default_branch, owners.file)}
          />
          <RowSteps
            list={rules}
            here={withQuery(visit.url.pathname, { path: path || undefined })}
            label={t('Pages of rules')}
          />
        </>
      )}
    </RepoFrame>
  ),
})
