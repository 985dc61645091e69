import type { Part } from './binaries.ts'
import type { Shipped } from './shipped.ts'

type Product = { name: string; version: string; license: string }

/** What binary files contain: those of each package, by its path, and those of the product itself. */
export type Contents = { packages: Map<string, Part[]>; own: Part[] }

/** A bill of materials in CycloneDX 1.6. The same lock file gives the same bytes. */
export function sbomOf(product: Product, shipped: Shipped[], { packages, own: files }: Contents): object {
  const refs = new Map(shipped.map((each) => [each.path, refOf(each)]))
  const own = purl(product)
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        name: product.name,
        version: product.version,
        purl: own,
        licenses: [{ license: { id: product.license } }],
        ...partsIn(own, files),
      },
    },
    components: shipped.map((each) => ({
      type: 'library',
      'bom-ref': refOf(each),
      name: each.name,
      version: each.version,
      purl: purl(each),
      ...licencesOf(each),
      ...hashesOf(each),
      ...partsIn(refOf(each), packages.get(each.path) ?? []),
    })),
    dependencies: [
      { ref: own, dependsOn: shipped.filter(({ path }) => isTopLevel(path)).map(refOf) },
      ...shipped.map((each) => ({
        ref: refOf(each),
        dependsOn: [...new Set(each.needs.map((path) => refs.get(path)!))],
      })),
    ],
  }
}

/** Nested, because an update of the package replaces them. */
function partsIn(owner: string, parts: Part[]): object {
  if (parts.length === 0) return {}
  return {
    components: parts.map(({ name, version, licence, type, files, hashes = [] }) => ({
      type,
      'bom-ref': `${owner}#${name}`,
      name,
      ...(version && { version, purl: `pkg:generic/${name}@${version}` }),
      licenses: [{ expression: licence }],
      ...(hashes.length > 0 && { hashes: hashes.map((content) => ({ alg: 'SHA-256', content })) }),
      evidence: { occurrences: files.map((location) => ({ location })) },
    })),
  }
}

/** The same version may be installed at two paths. */
function refOf({ path, name, version }: Shipped): string {
  return isTopLevel(path) ? purl({ name, version }) : `${purl({ name, version })}#${path}`
}

function isTopLevel(path: string): boolean {
  return path.lastIndexOf('node_modules/') === 0
}

function purl({ name, version }: { name: string; version: string }): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function licencesOf({ locked: { license } }: Shipped): object {
  if (!license) return {}
  const isExpression = /[ ()]/.test(license)
  return { licenses: [isExpression ? { expression: license } : { license: { name: license } }] }
}

/** The lock file has Base64, the bill hexadecimal. */
function hashesOf({ locked: { integrity } }: Shipped): object {
  const [, base64] = integrity?.match(/^sha512-(.+)$/) ?? []
  if (!base64) return {}
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }] }
}
