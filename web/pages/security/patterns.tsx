// Formats of secrets that a repository or a workspace adds, each with a test on old commits.
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  createSecretPattern,
  deleteSecretPattern,
  getSecretPattern,
  listSecretPatterns,
  testSecretPattern,
  updateSecretPattern,
  type PatternTest,
  type SecretPattern,
} from '#features/security/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { lineAddress } from '#lib/line-address.ts'
import {
  ActionButton,
  Badge,
  Breadcrumbs,
  Button,
  Card,
  Checkbox,
  EmptyState,
  Field,
  Form,
  FormActions,
  Icon,
  List,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import type { Child, Html } from '../../jsx/html.ts'
import { codePath, workspacePath } from '../../paths.ts'
import { action, page, redirectWithFlash, type Fields, type Page, type Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { loadPage, RowSteps } from '../row-form.tsx'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { WorkspaceSettingsFrame } from '../workspaces/frame.tsx'
import { SecurityFrame } from './frame.tsx'
import { secretsPath } from './secret-labels.ts'

type Level = 'repository' | 'workspace'
const LEVELS: readonly Level[] = ['repository', 'workspace']

const BASE: Readonly<Record<Level, string>> = {
  repository: '/:workspace/:repo/security/secrets/patterns',
  workspace: '/:workspace/-/secret-patterns',
}

type Target = { readonly repo: string } | { readonly workspace: string }

const workspaceOf = (visit: Visit): string => visit.params.workspace ?? ''

const targetOf = (level: Level, visit: Visit): Target =>
  level === 'repository' ? { repo: repoOf(visit) } : { workspace: workspaceOf(visit) }

const patternsPath = (level: Level, visit: Visit, rest = ''): string =>
  level === 'repository'
    ? secretsPath(repoOf(visit), `/patterns${rest}`)
    : workspacePath(workspaceOf(visit), 'secret-patterns') + rest

const patternPath = (level: Level, visit: Visit, id: string, rest = ''): string =>
  patternsPath(level, visit, `/${encodeURIComponent(id)}${rest}`)

type Owner = {
  readonly level: Level
  readonly mayEdit: boolean
  readonly frame: (title: string, children: Child) => Html
}

async function loadOwner(level: Level, visit: Visit): Promise<Owner> {
  if (level === 'repository') {
    const repo: Repo = await visit.call(getRepo, { repo: repoOf(visit) })
    return {
      level,
      mayEdit: !repo.archived,
      frame: (title, children) => (
        <SecurityFrame visit={visit} repo={repo} title={title} current="secrets" seesFindings>
          {children}
        </SecurityFrame>
      ),
    }
  }
  const workspace = await visit.call(getWorkspace, { workspace: workspaceOf(visit) })
  return {
    level,
    mayEdit: true,
    frame: (title, children) => (
      <WorkspaceSettingsFrame
        visit={visit}
        workspace={workspace}
        title={title}
        part="secret-patterns"
      >
        {children}
      </WorkspaceSettingsFrame>
    ),
  }
}

const StateBadge = ({ pattern }: { pattern: SecretPattern }) => {
  if (!pattern.enabled) return <Badge>{t('Off')}</Badge>
  return pattern.push_protection ? (
    <Badge tone="good">{t('Refuses pushes')}</Badge>
  ) : (
    <Badge tone="good">{t('Opens alerts')}</Badge>
  )
}

const testText = (test: PatternTest | null): string => {
  if (test === null) return t('Not tested yet')
  if (test.state === 'queued') return t('Test under way')
  if (test.state === 'failed') return t('The test failed')
  return tn('{count} match in the test', '{count} matches in the test', test.matches)
}

const PatternRow = ({ pattern, href }: { pattern: SecretPattern; href: string }) => (
  <Row
    mark={<Icon name="key" />}
    title={
      <a class="row-link" href={href}>
        {pattern.name}
      </a>
    }
    meta={
      <>
        <span>
          <code>{pattern.pattern}</code>
        </span>
        <span>{testText(pattern.test)}</span>
      </>
    }
    end={<StateBadge pattern={pattern} />}
  />
)

const PatternFields = ({ visit, pattern }: { visit: Visit; pattern: SecretPattern | null }) => {
  const { values } = visit.form
  const isTyped = values.has('name')
  return (
    <>
      <Field
        name="name"
        label={t('Name')}
        required
        maxlength={100}
        value={values.optional('name') ?? pattern?.name ?? ''}
        error={fieldError(visit, 'name')}
        hint={t('What people call the secret, such as Acme API key.')}
      />
      <Field
        name="pattern"
        label={t('Expression')}
        required
        maxlength={500}
        value={values.optional('pattern') ?? pattern?.pattern ?? ''}
        error={fieldError(visit, 'pattern')}
        hint={rich(
          'In the syntax of RE2, such as {example}. It needs a text of three characters that every match has. With a group, the group is the secret.',
          { example: <code>{'acme_[a-z0-9]{32}'}</code> },
        )}
      />
      <Checkbox
        name="push_protection"
        label={t('Refuse pushes that add a match')}
        hint={t('Only for expressions without false matches.')}
        checked={isTyped ? values.ticked('push_protection') : (pattern?.push_protection ?? false)}
      />
    </>
  )
}

const inputOf = (fields: Fields) => ({
  name: fields.text('name'),
  pattern: fields.text('pattern').trim(),
  push_protection: fields.ticked('push_protection'),
})

const NewPatternCard = ({ level, visit }: { level: Level; visit: Visit }) => (
  <Card title={t('New pattern')}>
    <Form
      action={patternsPath(level, visit)}
      csrf={visit.csrf}
      error={formError(visit, 'name', 'pattern')}
    >
      <PatternFields visit={visit} pattern={null} />
      <FormActions>
        <Button variant="primary">{t('Create pattern')}</Button>
      </FormActions>
    </Form>
  </Card>
)

const listPage = (level: Level): Page =>
  page({
    path: BASE[level],
    load: async (visit) => {
      const owner = await loadOwner(level, visit)
      const list = await loadPage(visit, (page) =>
        visit.call(listSecretPatterns, { ...targetOf(level, visit), page }),
      )
      return { owner, list }
    },
    view: ({ owner, list }, visit) => {
      return owner.frame(
        t('Secret patterns'),
        <>
          <PageHead
            title={t('Secret patterns')}
            lead={
              level === 'repository'
                ? t('Formats of secrets that this repository looks for in addition.')
                : t('Formats of secrets that all repositories of this workspace look for.')
            }
          />
          {list.items.length === 0 ? (
            <EmptyState icon="key" title={t('No patterns yet')}>
              {t(
                'Add the format of your own keys and tokens, test it on old commits, then turn it on.',
              )}
            </EmptyState>
          ) : (
            <List label={t('Secret patterns')}>
              {list.items.map((pattern) => (
                <PatternRow pattern={pattern} href={patternPath(level, visit, pattern.id)} />
              ))}
            </List>
          )}
          <RowSteps list={list} here={patternsPath(level, visit)} label={t('Secret patterns')} />
          {owner.mayEdit && <NewPatternCard level={level} visit={visit} />}
        </>,
      )
    },
  })

type Shown = { visit: Visit; owner: Owner; pattern: SecretPattern }

const TestResult = ({ visit, test }: { visit: Visit; test: PatternTest }) => (
  <>
    <p role="status">
      {rich('{matches} in {commits} of {repo}, {at}.', {
        matches: tn('{count} match', '{count} matches', test.matches),
        commits: tn('{count} commit', '{count} commits', test.commits),
        repo: <code>{test.repository}</code>,
        at: (
          <RelativeTime at={test.finished_at ?? test.created_at} now={visit.hearth.clock.now()} />
        ),
      })}{' '}
      {!test.complete && t('The test ended early, so there may be more.')}
    </p>
    {test.places.length > 0 && (
      <List label={t('Places')}>
        {test.places.map(({ path, line, commit, preview }) => (
          <Row
            mark={<Icon name="file" />}
            title={
              <a href={codePath(test.repository, 'blob', commit, path) + lineAddress(line)}>
                <code>
                  {path}:{line}
                </code>
              </a>
            }
            meta={
              <span>
                <code>{preview}</code>
              </span>
            }
          />
        ))}
      </List>
    )}
  </>
)

const TestForm = ({ visit, owner, pattern }: Shown) => {
  const path = patternPath(owner.level, visit, pattern.id, '/test')
  const typed = visitForForm(visit, path)
  return (
    <Form action={path} csrf={visit.csrf} error={formError(typed, 'repository')}>
      {owner.level === 'workspace' && (
        <Field
          name="repository"
          label={t('Repository')}
          required
          maxlength={200}
          value={typed.form.values.text('repository')}
          error={fieldError(typed, 'repository')}
          hint={t('Its name in this workspace.')}
        />
      )}
      <FormActions>
        <Button icon="search">{t('Test pattern')}</Button>
      </FormActions>
    </Form>
  )
}

const TestCard = ({ visit, owner, pattern }: Shown) => {
  const { test } = pattern
  return (
    <Card title={t('Test on old commits')}>
      {test?.state === 'complete' ? (
        <TestResult visit={visit} test={test} />
      ) : (
        <p role="status">{testText(test)}</p>
      )}
      {owner.mayEdit && test?.state !== 'queued' && (
        <TestForm visit={visit} owner={owner} pattern={pattern} />
      )}
    </Card>
  )
}

const ChangeCard = ({ visit, owner, pattern }: Shown) => {
  const at = patternPath(owner.level, visit, pattern.id)
  const typed = visitForForm(visit, at)
  return (
    <Card title={t('Change pattern')}>
      <Form action={at} csrf={visit.csrf} error={formError(typed, 'name', 'pattern')}>
        <PatternFields visit={typed} pattern={pattern} />
        <FormActions>
          <Button variant="primary">{t('Save pattern')}</Button>
        </FormActions>
      </Form>
      <ActionButton action={`${at}/delete`} csrf={visit.csrf}>
        <Button variant="danger">{t('Delete pattern')}</Button>
      </ActionButton>
    </Card>
  )
}

const patternPage = (level: Level): Page =>
  page({
    path: `${BASE[level]}/:pattern`,
    load: async (visit) => ({
      owner: await loadOwner(level, visit),
      pattern: await visit.call(getSecretPattern, {
        ...targetOf(level, visit),
        id: visit.params.pattern ?? '',
      }),
    }),
    view: ({ owner, pattern }, visit) => {
      const at = (rest = '') => patternPath(level, visit, pattern.id, rest)
      return owner.frame(
        pattern.name,
        <>
          <Breadcrumbs
            parts={[
              { label: t('Secret patterns'), href: patternsPath(level, visit) },
              { label: pattern.name },
            ]}
          />
          <PageHead
            title={pattern.name}
            lead={<code>{pattern.pattern}</code>}
            actions={
              owner.mayEdit && (
                <ActionButton
                  action={at(pattern.enabled ? '/disable' : '/enable')}
                  csrf={visit.csrf}
                >
                  <Button variant={pattern.enabled ? undefined : 'primary'}>
                    {pattern.enabled ? t('Turn off pattern') : t('Turn on pattern')}
                  </Button>
                </ActionButton>
              )
            }
          />
          <p class="actions">
            <StateBadge pattern={pattern} />
          </p>
          <TestCard visit={visit} owner={owner} pattern={pattern} />
          {owner.mayEdit && <ChangeCard visit={visit} owner={owner} pattern={pattern} />}
        </>,
      )
    },
  })

function formsOf(level: Level, list: Page, one: Page) {
  const target = (visit: Visit) => targetOf(level, visit)
  const idOf = (visit: Visit) => visit.params.pattern ?? ''
  const back = (visit: Visit) => patternPath(level, visit, idOf(visit))
  const toggle = (path: string, enabled: boolean, flash: 'pattern-on' | 'pattern-off') =>
    action({
      path: `${BASE[level]}/:pattern/${path}`,
      page: one,
      submit: async (visit) => {
        await visit.call(updateSecretPattern, { ...target(visit), id: idOf(visit), enabled })
        return redirectWithFlash(visit, back(visit), flash)
      },
    })
  return [
    action({
      path: BASE[level],
      page: list,
      submit: async (visit, fields) => {
        const { id } = await visit.call(createSecretPattern, {
          ...target(visit),
          ...inputOf(fields),
        })
        return redirectWithFlash(visit, patternPath(level, visit, id), 'pattern-created')
      },
    }),
    action({
      path: `${BASE[level]}/:pattern`,
      page: one,
      submit: async (visit, fields) => {
        const input = { ...target(visit), id: idOf(visit), ...inputOf(fields) }
        await visit.call(updateSecretPattern, input)
        return redirectWithFlash(visit, back(visit), 'pattern-saved')
      },
    }),
    toggle('enable', true, 'pattern-on'),
    toggle('disable', false, 'pattern-off'),
    action({
      path: `${BASE[level]}/:pattern/test`,
      page: one,
      submit: async (visit, fields) => {
        const repository = fields.optional('repository')
        await visit.call(testSecretPattern, {
          ...target(visit),
          id: idOf(visit),
          ...(repository && { repository }),
        })
        return redirectWithFlash(visit, back(visit), 'pattern-test-started')
      },
    }),
    action({
      path: `${BASE[level]}/:pattern/delete`,
      page: one,
      submit: async (visit) => {
        await visit.call(deleteSecretPattern, { ...target(visit), id: idOf(visit) })
        return redirectWithFlash(visit, patternsPath(level, visit), 'pattern-deleted')
      },
    }),
  ]
}

const built = LEVELS.map((level) => {
  const list = listPage(level)
  const one = patternPage(level)
  return { pages: [list, one], forms: formsOf(level, list, one) }
})

export const patternPages = built.flatMap(({ pages }) => pages)
export const patternForms = built.flatMap(({ forms }) => forms)
