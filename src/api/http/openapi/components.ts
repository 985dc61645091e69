import { z } from 'zod'
import { sessionShape, workspaceShape } from '../../shapes/account.ts'
import { connectorTypeShape } from '../../shapes/connector-type.ts'
import { elementShape } from '../../shapes/element.ts'
import {
  checkShape,
  connectorShape,
  destinationShape,
  documentsShape,
  freshnessShape,
  jobDetailsShape,
  jobShape,
  modelsShape,
  nodeShape,
  workflowShape,
} from '../../shapes/resources.ts'
import { repairShape, verdictShape, verificationShape } from '../../shapes/verification.ts'

/** Shapes that the document defines once, under a name. */
const named: Record<string, z.ZodType> = {
  ConnectionCheck: checkShape,
  Connector: connectorShape,
  ConnectorType: connectorTypeShape,
  Destination: destinationShape,
  Element: elementShape,
  Freshness: freshnessShape,
  Job: jobShape,
  JobDetails: jobDetailsShape,
  JobDocuments: documentsShape,
  Model: modelsShape.element,
  Repair: repairShape,
  Session: sessionShape,
  Verdict: verdictShape,
  Verification: verificationShape,
  Workflow: workflowShape,
  WorkflowNode: nodeShape,
  Workspace: workspaceShape,
}

// The registry of zod, because it has the descriptions too.
for (const [id, shape] of Object.entries(named))
  z.globalRegistry.add(shape, { ...z.globalRegistry.get(shape), id })

const REFERENCE = '#/components/schemas/'

/** Removes schemas that nothing refers to, such as the input form of a response. */
export function removeUnused(document: { components?: { schemas?: Record<string, unknown> } }): void {
  const schemas = document.components?.schemas ?? {}
  const used = new Set<string>()
  const visit = (value: unknown) => {
    for (const id of referencesIn(value)) {
      if (used.has(id)) continue
      used.add(id)
      visit(schemas[id])
    }
  }
  visit({ ...document, components: { ...document.components, schemas: {} } })
  const kept = Object.entries(schemas)
    .filter(([id]) => used.has(id))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  document.components = { ...document.components, schemas: Object.fromEntries(kept) }
}

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? referenceTo(inner) : referencesIn(inner),
  )
}

function referenceTo(address: string): string[] {
  return address.startsWith(REFERENCE) ? [address.slice(REFERENCE.length)] : []
}
