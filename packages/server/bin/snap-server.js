#!/usr/bin/env node
// Exists before the first build, so package managers can link the command in a fresh checkout.
import "../dist/cli.js";
