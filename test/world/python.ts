import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Every package is pinned. */
const CLIENT = [
  'unstructured-client==0.46.4',
  'aiofiles==25.1.0',
  'httpx==0.28.1',
  'pydantic==2.14.3',
  'pypdf==7.0.1',
  'pypdfium2==5.14.0',
  'requests-toolbelt==1.0.0',
]
const OPENAPI_TOOLS = [
  'annotated-types==0.8.0',
  'anyio==4.16.0',
  'attrs==26.1.0',
  'certifi==2026.10.18',
  'charset-normalizer==3.5.2',
  'check-jsonschema==0.39.0',
  'click==8.5.1',
  'graphql-core==3.3.2',
  'harfile==0.6.0',
  'hypothesis==6.170.15',
  'hypothesis-graphql==0.13.5',
  'idna==3.20',
  'iniconfig==2.3.1',
  'jsonschema==4.26.0',
  'jsonschema-path==0.5.0',
  'jsonschema-specifications==2025.9.1',
  'jsonschema_rs==0.60.3',
  'lazy-object-proxy==1.13.0',
  'markdown-it-py==4.3.0',
  'MarkupSafe==3.0.4',
  'mdurl==0.1.2',
  'openapi-schema-validator==0.9.0',
  'openapi-spec-validator==0.9.0',
  'packaging==26.3',
  'pathable==0.6.0',
  'pluggy==1.7.0',
  'pydantic==2.14.3',
  'pydantic-settings==2.16.2',
  'pydantic_core==2.50.4',
  'Pygments==2.21.0',
  'pyrate-limiter==4.5.1',
  'pytest==9.2.0',
  'python-dotenv==1.2.4',
  'PyYAML==6.0.3',
  'referencing==0.37.0',
  'regress==2026.9.1',
  'requests==2.34.2',
  'rfc3339-validator==0.1.4',
  'rich==15.0.0',
  'rpds-py==2026.9.1',
  'ruamel.yaml==0.19.1',
  'schemathesis==4.32.5',
  'six==1.17.0',
  'sortedcontainers==2.4.0',
  'typing-inspection==0.4.5',
  'typing_extensions==4.16.0',
  'urllib3==2.8.0',
  'Werkzeug==3.1.9',
]

/** What langchain-core and llama-index-core need. */
const UNDER_RETRIEVERS = [
  'aiohappyeyeballs==2.7.1',
  'aiohttp==3.14.5',
  'aiosignal==1.4.0',
  'aiosqlite==0.22.1',
  'annotated-types==0.8.0',
  'anyio==4.16.0',
  'attrs==26.1.0',
  'banks==2.5.1',
  'certifi==2026.10.18',
  'charset-normalizer==3.5.2',
  'click==8.5.1',
  'cloudpickle==3.1.2',
  'colorama==0.4.6',
  'dataclasses-json==0.6.7',
  'defusedxml==0.7.1',
  'Deprecated==1.3.1',
  'dirtyjson==1.0.8',
  'distro==1.9.0',
  'filetype==1.2.0',
  'frozenlist==1.8.0',
  'fsspec==2026.9.0',
  'greenlet==3.5.6',
  'griffe==2.4.1',
  'griffecli==2.4.1',
  'griffelib==2.4.1',
  'h11==0.16.0',
  'httpcore2==2.16.0',
  'httpcore==1.0.9',
  'httpx2==2.16.0',
  'idna==3.20',
  'Jinja2==3.1.6',
  'joblib==1.6.0',
  'jsonpatch==1.47',
  'jsonpointer==3.12',
  'langsmith==0.14.17',
  'llama-index-instrumentation==0.6.0',
  'llama-index-workflows==2.26.1',
  'MarkupSafe==3.0.4',
  'marshmallow==3.26.2',
  'multidict==7.2.1',
  'mypy_extensions==1.2.0',
  'nest-asyncio==1.6.0',
  'networkx==3.6.1',
  'nltk==3.10.4',
  'numpy==2.4.6',
  'orjson==3.13.0',
  'pillow==13.0.0',
  'platformdirs==4.14.5',
  'propcache==0.5.4',
  'pydantic==2.14.3',
  'pydantic_core==2.50.4',
  'PyYAML==6.0.3',
  'regex==2026.11.9',
  'requests-toolbelt==1.0.0',
  'requests==2.34.2',
  'sniffio==1.3.1',
  'SQLAlchemy==2.1.8',
  'tenacity==9.2.1',
  'tiktoken==0.14.0',
  'tqdm==4.70.1',
  'truststore==0.10.5',
  'typing-inspect==0.9.0',
  'typing-inspection==0.4.5',
  'typing_extensions==4.16.0',
  'urllib3==2.8.0',
  'uuid_utils==0.19.0',
  'websockets==17.4',
  'wrapt==2.5.2',
  'xxhash==4.1.0',
  'yarl==1.25.1',
  'zstandard==0.25.0',
]
/** The oldest versions that packages/python accepts, and current ones with the tools that check it. */
const RETRIEVERS = {
  oldest: [
    ...UNDER_RETRIEVERS,
    'httpx==0.27.0',
    'langchain-core==1.0.0',
    'llama-index-core==0.14.0',
    'packaging==25.0',
  ],
  current: [
    ...UNDER_RETRIEVERS,
    'ast_serialize==0.13.1',
    'hatchling==1.33.0',
    'httpx==0.28.1',
    'langchain-core==1.7.2',
    'langchain-protocol==0.0.20',
    'librt==0.16.0',
    'llama-index-core==0.14.25',
    'mypy==2.4.1',
    'packaging==26.3',
    'pathspec==1.1.1',
    'pluggy==1.7.0',
    'pyarrow==26.0.1',
    'tinytag==2.3.2',
    'tomlkit==0.15.2',
    'trove-classifiers==2026.9.21.13',
  ],
}

/** A Python with the official client. */
export function pythonWithClient(): Promise<string> {
  return pythonWith('python-client-0.46.4', CLIENT)
}

/** A Python with schemathesis and validators of OpenAPI documents and other files. */
export function pythonWithOpenapiTools(): Promise<string> {
  return pythonWith('python-validators-4.32.5', OPENAPI_TOOLS)
}

/** A Python with all that the package of packages/python works with, but without the package. */
export function pythonWithRetrievers(versions: keyof typeof RETRIEVERS): Promise<string> {
  return pythonWith(`python-retrievers-${versions}-1`, RETRIEVERS[versions])
}

/** Created once in the cache. */
async function pythonWith(name: string, packages: string[]): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace')
  const home = join(cache, name)
  const python = join(home, 'bin', 'python')
  if (await exists(join(home, 'complete'))) return python
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(join(cache, `${name}-making-`))
  await run('python3', ['-m', 'venv', making])
  await run(join(making, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...packages])
  await mkdir(join(making, 'complete'))
  await rename(making, home).catch(async (error) => {
    if (!(await exists(join(home, 'complete')))) throw error
    await rm(making, { recursive: true, force: true })
  })
  return python
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
