// The large files of a repository (Git LFS) and who has locked which file.
import {
  getLfsUsage,
  listFileLocks,
  lockFile,
  unlockFile,
  type FileLock,
} from '#features/lfs/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Avatar,
  Button,
  Card,
  Commands,
  EmptyState,
  Field,
  Form,
  FormActions,
  List,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import { codePath, repoPath } from '../../paths.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { loadPage, RowSteps } from '../row-form.tsx'
import { fieldError, formError } from '../shell.tsx'
import { RepoFrame, repoOf } from './frame.tsx'
import { RepoSettingsFrame } from './settings-frame.tsx'
import type { Child } from '../../jsx/html.ts'
import { rich, t, tn } from '../../text.ts'

const START = `git lfs install
git lfs track "*.psd"
git add .gitattributes`

const LockRow = ({ visit, repo, lock }: { visit: Visit; repo: Repo; lock: FileLock }) => {
  const isOwn = visit.viewer?.id === lock.locked_by.id
  const mayUnlock = isOwn ? repo.permissions.write : repo.permissions.maintain
  return (
    <Row
      mark={<Avatar of={lock.locked_by} />}
      title={
        <a href={codePath(repo.full_name, 'blob', repo.default_branch, lock.path)}>
          <code>{lock.path}</code>
        </a>
      }
      meta={rich('Locked by {name} {time}', {
        name: lock.locked_by.username,
        time: <RelativeTime at={lock.locked_at} />,
      })}
      end={
        mayUnlock && (
          <ActionButton
            action={repoPath(repo.full_name, '/locks/remove')}
            csrf={visit.csrf}
            values={{ id: lock.id, force: isOwn ? '' : '1' }}
          >
            <Button small variant={isOwn ? 'plain' : 'danger'}>
              {t('Unlock')}
            </Button>
          </ActionButton>
        )
      }
    />
  )
}

const LockCard = ({ visit, repo }: { visit: Visit; repo: Repo }) => (
  <Card title={t('Lock a file')}>
    <Form
      action={repoPath(repo.full_name, '/locks')}
      csrf={visit.csrf}
      error={formError(visit, 'path')}
    >
      <Field
        name="path"
        label={t('Path')}
        required
        maxlength={4096}
        mono
        hint={t(
          'Such as art/cover.psd. Others see that you edit the file, and git-lfs does not push their changes to it.',
        )}
        value={visit.form.values.text('path')}
        error={fieldError(visit, 'path')}
      />
      <FormActions>
        <Button variant="primary">{t('Lock file')}</Button>
      </FormActions>
    </Form>
  </Card>
)

/** Who comes from the settings stays in them. Others have no settings, and come from a file. */
const LocksFrame = ({ visit, repo, children }: { visit: Visit; repo: Repo; children?: Child }) => {
  const shared = { visit, repo, title: t('Large files') }
  return repo.permissions.maintain ? (
    <RepoSettingsFrame {...shared} part="locks">
      {children}
    </RepoSettingsFrame>
  ) : (
    <RepoFrame {...shared} current="code">
      {children}
    </RepoFrame>
  )
}

export const fileLocksPage = page({
  path: '/:workspace/:repo/locks',
  load: async (visit) => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const [usage, locks] = await Promise.all([
      visit.call(getLfsUsage, { repo: repo.full_name }),
      loadPage(visit, (page) => visit.call(listFileLocks, { repo: repo.full_name, page })),
    ])
    return { repo, usage, locks }
  },
  view: ({ repo, usage, locks }, visit) => (
    <LocksFrame visit={visit} repo={repo}>
      <PageHead
        title={t('Large files')}
        lead={
          usage.files === 0
            ? t('Git LFS keeps large files beside the history, so that clones stay small.')
            : tn(
                '{count} file of Git LFS with {bytes}.',
                '{count} files of Git LFS with {bytes}.',
                usage.files,
                { bytes: bytesText(usage.bytes) },
              )
        }
      />
      {usage.files === 0 && (
        <Card title={t('Keep large files with Git LFS')}>
          <Commands>{START}</Commands>
        </Card>
      )}
      {locks.items.length === 0 ? (
        <EmptyState icon="file" title={t('No locks')}>
          {t(
            'Lock a file that cannot be merged, such as a picture, before you edit it: here, or with git lfs lock.',
          )}
        </EmptyState>
      ) : (
        <List label={t('Locked files')}>
          {locks.items.map((lock) => (
            <LockRow visit={visit} repo={repo} lock={lock} />
          ))}
        </List>
      )}
      <RowSteps
        list={locks}
        here={repoPath(repo.full_name, '/locks')}
        label={t('Pages of locks')}
      />
      {repo.permissions.write && <LockCard visit={visit} repo={repo} />}
    </LocksFrame>
  ),
})

export const lockFileForm = action({
  path: '/:workspace/:repo/locks',
  page: fileLocksPage,
  submit: async (visit, fields) => {
    const repo = repoOf(visit)
    await visit.call(lockFile, { repo, path: fields.text('path').trim() })
    return redirectWithFlash(visit, repoPath(repo, '/locks'), 'file-locked')
  },
})

export const unlockFileForm = action({
  path: '/:workspace/:repo/locks/remove',
  submit: async (visit, fields) => {
    const repo = repoOf(visit)
    const force = fields.text('force') === '1'
    await visit.call(unlockFile, { repo, id: fields.text('id'), force })
    return redirectWithFlash(visit, repoPath(repo, '/locks'), 'file-unlocked')
  },
})
