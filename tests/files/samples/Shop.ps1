<#
.SYNOPSIS
Orders of a shop.
#>
Import-Module Stock
. ./price.ps1

# An order.
class Order : Base {
    [int]$Id
    Order([int]$id) { }
    [string] Show([bool]$deep) { return "x" }
}
enum State { Open; Closed }

function Get-Order {
    <#
    .SYNOPSIS
    Finds an order.
    #>
    [CmdletBinding()]
    param([int]$Id)
    $text = @"
function Hidden {
"@
    function inner { }
}

# Sells one.
function script:Sell-Order($Order) { }
filter Open-Only { $_ }
