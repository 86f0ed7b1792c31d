// Nothing: the target of the precompiled headers that tests share.
// SPDX-License-Identifier: Apache-2.0
