#!/usr/bin/env node
/* eslint-disable no-console */
'use strict';

// Serves files over HTTP.

const http = require('node:http');
const { join } = require('./paths');

const PORT = 8080;
const settings = { root: '/srv', index: 'index.html', read(name) {}, write: (name, data) => {} };

/**
 * Starts the server.
 * @param {number} port
 */
function start(port = PORT, { quiet } = {}) {}

class Pool extends Base {
  static make() {}
  size = 3;
  *items() {}
}

Pool.prototype.drain = function drain(force) {};

module.exports = { start, Pool, stop: () => {}, VERSION: '1.2' };
exports.extra = function (a) {};
(function () { function insideWrapper() {} })();
