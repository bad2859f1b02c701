(header module: (module) @name @public) @definition.module
(data_type name: (_) @name) @definition.type
(newtype name: (_) @name) @definition.type
(type_synonym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(class name: (_) @name declarations: (_)? @body) @definition.class
(instance name: (_) @name patterns: (_)? @name declarations: (_)? @body) @definition.instance
(pattern_synonym (equation synonym: (apply function: (_) @name))) @definition.function
(pattern_synonym (signature synonym: (_) @name)) @definition.function
(data_constructor (record name: (_) @name)) @definition.case
(data_constructor (prefix name: (_) @name)) @definition.case
(gadt_constructor name: (_) @name) @definition.case
(field name: (field_name (variable) @name)) @definition.field

(signature name: (variable) @name) @definition.function
(signature name: (prefix_id (_) @name)) @definition.function
(signature names: (binding_list name: (variable) @name)) @definition.function
(signature names: (binding_list name: (prefix_id (_) @name))) @definition.function
(function name: (variable) @name match: (_) @body) @definition.function
(function name: (prefix_id (_) @name) match: (_) @body) @definition.function
(function (infix operator: (_) @name) match: (_) @body) @definition.function
(bind name: (variable) @name match: (_) @body) @definition.function
(foreign_import signature: (signature name: (variable) @name)) @definition.function

(export (_) @export)
(import module: (module) @import)
