// The install script calls this first; npm before `allowScripts` runs the script on every `npm ci` (decision 28).
exports.bootstrap = () => process.exit(0)
