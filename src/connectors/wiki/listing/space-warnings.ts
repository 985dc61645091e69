import type { DocumentRef } from '../../../document.ts'
import type { Warning } from '../../../report.ts'
import { createAssumedWarnings } from '../access/assumed-warnings.ts'
import type { SpaceAccess } from '../access/page-access.ts'
import { unknownClassReason } from '../access/permissions.ts'
import type { PageInfo, Space } from '../client.ts'
import type { WikiConfig } from '../config.ts'

/** Further reasons are counted together, so that a failing wiki does not fill the memory. */
const MAX_REASONS = 1000
const PAGES_NAMED = 10

/** Counts what goes wrong in the listing of a space, over all its batches. */
export function createSpaceWarnings(space: Space, config: WikiConfig) {
  const reasons = new Map<string, number>()
  const classes: UnknownClasses = { names: new Set(), documents: 0 }
  const assumed = createAssumedWarnings(space, config.unproved_ancestors)
  const unlisted: UnlistedFiles = { pages: 0, first: [] }

  function add(row: PageInfo, refs: DocumentRef[], access: SpaceAccess): void {
    assumed.add(access.assumed(row), refs.length)
    for (const { access: granted } of refs) {
      const { unproved, unknownClasses = [] } = granted
      if (unknownClasses.length > 0) classes.documents++
      for (const name of unknownClasses) classes.names.add(name)
      if (!unproved || unproved === unknownClassReason(unknownClasses)) continue
      const reason = reasons.size < MAX_REASONS || reasons.has(unproved) ? unproved : 'many other reasons'
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
  }

  function addUnlisted({ metadata }: SpaceAccess): void {
    unlisted.pages += metadata.unlistedFiles.length
    unlisted.first.push(...metadata.unlistedFiles.slice(0, PAGES_NAMED - unlisted.first.length))
  }

  return {
    add,
    addUnlisted,
    all: (cut: { leftOut: number | null } | null): Warning[] => [
      ...(cut ? [limitWarning(space, config.max_num_of_docs_from_each_space, cut.leftOut)] : []),
      ...unprovedWarnings(space, reasons),
      ...assumed.warnings(),
      ...unknownClassWarnings(space, classes),
      ...unlistedWarnings(space, unlisted),
    ],
  }
}

function limitWarning(space: Space, maxPages: number, leftOut: number | null): Warning {
  const setting = 'max_num_of_docs_from_each_space'
  const count = leftOut === null ? '' : ` and ${leftOut} ${leftOut === 1 ? 'is' : 'are'} left out`
  return {
    code: 'documents_left_out',
    message:
      `space ${space.key} (${space.name}) has more than ${maxPages} pages; only the first ${maxPages} by id ` +
      `are read${count} (${setting})`,
    limit: { kind: 'documents_per_scope', setting, scope: space.key, left_out: leftOut, noun: 'page' },
  }
}

function unprovedWarnings(space: Space, reasons: Map<string, number>): Warning[] {
  if (reasons.size === 0) return []
  const documents = [...reasons.values()].reduce((sum, count) => sum + count, 0)
  const [first] = [...reasons].sort(([, a], [, b]) => b - a).map(([reason]) => reason)
  const others = reasons.size > 1 ? `, and ${reasons.size - 1} other reasons` : ''
  return [
    {
      code: 'permissions_unproved',
      message: `some permissions on ${documents} pages of space ${space.key} could not be verified and were not granted: ${first}${others}`,
      documents,
    },
  ]
}

type UnknownClasses = { names: Set<string>; documents: number }

function unknownClassWarnings(space: Space, { names, documents }: UnknownClasses): Warning[] {
  if (documents === 0) return []
  const message =
    `space ${space.key} grants permissions to an unknown access class: ${[...names].sort().join(', ')}; ` +
    `it grants nothing on ${documents} documents`
  return [{ code: 'access_class_unknown', message, documents }]
}

type UnlistedFiles = { pages: number; first: string[] }

function unlistedWarnings(space: Space, { pages, first }: UnlistedFiles): Warning[] {
  if (pages === 0) return []
  const more = pages > PAGES_NAMED ? ` and ${pages - PAGES_NAMED} more` : ''
  return [
    {
      code: 'files_not_listed',
      message: `the files of ${pages} pages of space ${space.key} could not be listed: ${first.join(', ')}${more}`,
      documents: pages,
    },
  ]
}
